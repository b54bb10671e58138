import type { Signal } from '@sluice/http1/client-abort'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Call } from '../model/call.ts'

interface Leaving {
  readonly signal: Signal
  /** Whether a response is awaited after its client has left. */
  readonly mayWait: boolean
  /** Whether the vendor bills what was requested, whether or not anybody waits for it. */
  readonly isBilled: () => boolean
}

/**
 * Cancels a call whose client leaves before its response, unless it is billed: that one is awaited as long as if the client had stayed, so
 * that leaving costs neither more nor less. Ends with the returned function.
 */
export function awaitAbandoned(call: Call, { signal, mayWait, isBilled }: Leaving): () => void {
  const onAbort = (): void => {
    call.isClientGone = true
    if (!mayWait || !isBilled()) call.cancel?.('client_gone')
  }
  whenAborted(signal, onAbort)
  return () => signal.removeEventListener('abort', onAbort)
}
