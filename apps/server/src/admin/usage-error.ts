/** The arguments are not those of a command. */
export class UsageError extends Error {}
