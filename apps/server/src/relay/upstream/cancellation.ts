import type { Clock } from '../../lib/clock.ts'
import type { Deadline } from '../../lib/deadlines.ts'
import type { CancelReason } from '../model/call.ts'
import type { Outbound } from './http1/client.ts'

interface Cancellation {
  readonly abort: (reason: CancelReason) => void
  /** Why it was cancelled first; `null`: it was not. */
  readonly reason: () => CancelReason | null
}

/** Created outside `attempt`: a closure made inside it would keep the call with its prompt in memory for as long as the response runs. */
export function cancellationOf(outbound: Pick<Outbound, 'abort'>): Cancellation {
  let first: CancelReason | null = null
  return {
    abort(reason) {
      first ??= reason
      outbound.abort()
    },
    reason: () => first,
  }
}

/** Each sign of life extends the first-byte deadline by the idle timeout, up to the time limit of a whole response. */
export function signsOfLife(firstByte: Deadline, { clock, idleMs, totalMs }: Patience): () => void {
  const latestMs = clock.monotonicMs() + totalMs
  return () => {
    firstByte.at = Math.max(firstByte.at, Math.min(clock.monotonicMs() + idleMs, latestMs))
  }
}

interface Patience {
  readonly clock: Clock
  readonly idleMs: number
  readonly totalMs: number
}
