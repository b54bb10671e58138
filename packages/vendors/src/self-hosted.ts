/** Servers of one's own put requests in a queue and are silent until it is their turn: ten minutes, where others have one. */
export const selfHostedTimeouts = { firstByteMs: 600_000, idleMs: 600_000 } as const
