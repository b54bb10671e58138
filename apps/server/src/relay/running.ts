/** Answers that run now, so that a shutdown can wait for them and in the end cut them. */
export interface Running {
  /** @param cut ends the answer early; missing where it cannot be ended. @returns to be called when the answer is over */
  begin(cut?: () => void): () => void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  cutAll(): void
  readonly count: number
}

export function createRunning(): Running {
  const runs = new Set<{ readonly cut: (() => void) | undefined }>()
  let waiting: Array<() => void> = []
  return {
    begin(cut) {
      const run = { cut }
      runs.add(run)
      return () => {
        runs.delete(run)
        if (runs.size > 0) return
        for (const resolve of waiting) resolve()
        waiting = []
      }
    },
    idle: () => (runs.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    cutAll() {
      for (const { cut } of runs) cut?.()
    },
    get count() {
      return runs.size
    },
  }
}
