/** Limits of the data plane; times in milliseconds. `env.ts` has the defaults. */
export interface RelayLimits {
  readonly bodyBytesMax: number
  /** Memory for the bodies of all requests together. */
  readonly bodiesBytesMax: number
  /** The same for multipart forms. */
  readonly formBytesMax: number
  readonly bodyMs: number
  /** `null`: the value of the kind of call. */
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number
  /** How long a client may leave its stream unread. */
  readonly stallMs: number
  /** How long an answer is awaited whose client has left, if the vendor bills it in any case; 0: not at all. */
  readonly abandonedMs: number
  readonly heartbeatMs: number
}
