/** Channels: list, form, model picker. */
export const channel = {} as const
