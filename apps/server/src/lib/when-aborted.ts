import type { Signal } from '@sluice/http1/client-abort'

/** Calls `act` when the signal aborts, or at once if it already has: then it fires no event any more. */
export function whenAborted(signal: Signal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act)
}
