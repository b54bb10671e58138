/** Logs. */
export const log = {} as const
