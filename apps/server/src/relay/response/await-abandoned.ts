import type { Signal } from '@sluice/http1/hang-up'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Call } from '../model/call.ts'

interface Leaving {
  readonly signal: Signal
  readonly deadlines: Deadlines
  /** How long it is awaited; 0: not at all. */
  readonly abandonedMs: number
  /** Whether the vendor bills what it was asked for, whether or not anybody waits for it. */
  readonly isBilled: () => boolean
}

/** Cancels a call whose client leaves before its answer: at once, or after a while if it is billed. Ends with the returned function. */
export function awaitAbandoned(call: Call, { signal, deadlines, abandonedMs, isBilled }: Leaving): () => void {
  let waiting: Deadline | null = null
  const giveUp = (): void => {
    call.isGivenUp = true
    call.cancel?.('client_gone')
  }
  const onGone = (): void => {
    call.isClientGone = true
    if (call.cancel !== null && abandonedMs > 0 && isBilled()) waiting = deadlines.start(abandonedMs, giveUp)
    else call.cancel?.('client_gone')
  }
  whenAborted(signal, onGone)
  return () => {
    signal.removeEventListener('abort', onGone)
    if (waiting !== null) deadlines.cancel(waiting)
  }
}
