/** Waits of the data plane, in milliseconds; the defaults stand in `env.ts`. */
export interface RelayLimits {
  readonly bodyBytesMax: number
  /** What the bodies of all requests may have together in memory. */
  readonly bodiesBytesMax: number
  /** The same for forms, which carry files. */
  readonly formBytesMax: number
  readonly bodyMs: number
  /** `null`: as the kind of call has it. */
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number
  /** How long a client may take nothing of its stream. */
  readonly stallMs: number
  readonly heartbeatMs: number
}
