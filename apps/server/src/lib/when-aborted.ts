/** Acts when the signal says so, also where it has said so already: of that nothing more is heard. */
export function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act)
}
