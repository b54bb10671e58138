/** How long the rest of a response is read at most whose client has left after it began to read it. */
const readOnMsMax = 15_000

export const readOnMsOf = ({ abandonedMs }: Pick<RelayLimits, 'abandonedMs'>): number => Math.min(readOnMsMax, abandonedMs)

/** Limits of the data plane; times in milliseconds. `env.ts` has the defaults. */
export interface RelayLimits {
  readonly bodyBytesMax: number
  /** Memory for the bodies of all requests together. */
  readonly bodiesBytesMax: number
  /** Size limit of a multipart form. */
  readonly formBytesMax: number
  readonly bodyMs: number
  /** `null`: the value of the kind of call. */
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number
  /** How long a client may leave its stream unread. */
  readonly stallMs: number
  /** How long a stream without words yet is read whose client has left, if the vendor bills it in any case; 0: no such response is awaited. */
  readonly abandonedMs: number
  readonly heartbeatMs: number
}
