import type { Signal } from '@sluice/http1/hang-up'

/** Acts when the signal says so, also where it has said so already: of that nothing more is heard. */
export function whenAborted(signal: Signal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act)
}
