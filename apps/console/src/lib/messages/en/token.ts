/** Tokens: list and form. */
export const token = {} as const
