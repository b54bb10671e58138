/** Aborts with the first of the signals, for its reason. `AbortSignal.any` is missing in Safari before 17.4 and in Firefox before 124. */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true, signal: controller.signal })
  }
  return controller.signal
}
