/** One object for all requests without headers of their own, so that what is made of it can be kept. */
export const noHeaders: Readonly<Record<string, string>> = {}
