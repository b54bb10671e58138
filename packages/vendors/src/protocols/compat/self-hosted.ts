/** Self-hosted servers queue requests and send nothing until they process one: ten minutes, instead of one. */
export const selfHostedTimeouts = { firstByteMs: 600_000, idleMs: 600_000 } as const
