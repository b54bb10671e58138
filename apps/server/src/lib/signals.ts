/** Signals that stop the server when its running responses have ended; a second one ends it at once. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/**
 * Signals that would end the process at once, and that nobody sends to end it: a terminal that closes, and what rotates logs or asks other
 * programs to reload, reopen or report something. The runtime ignores SIGPIPE and SIGXFSZ itself, so that writes fail with an error instead.
 */
const ignoredSignals = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGIO'] as const

/** Keeps them from ending the process. */
export const ignoreStraySignals = (): void => ignoreSignals(ignoredSignals)

function ignoreSignals(signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) process.on(signal, () => {})
}

/** For processes that the server starts beside itself and ends itself: a signal to the whole group must not end them before their work is done. */
export const ignoreAllSignals = (): void => ignoreSignals([...stopSignals, ...ignoredSignals])
