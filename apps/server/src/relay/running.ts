/** Answers that run now, so that a shutdown can wait for them and in the end cut them. */
export interface Running {
  /** @param cut ends the answer early; missing where it cannot be ended. @returns to be called when the answer is over */
  begin(cut?: () => void): () => void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  /** Cuts what runs, and whatever may still begin. */
  cutAll(): void
  readonly isCut: boolean
  readonly count: number
}

export function createRunning(): Running {
  const runs = new Set<{ readonly cut: (() => void) | undefined }>()
  let waiting: Array<() => void> = []
  let isCut = false
  return {
    begin(cut) {
      const run = { cut }
      runs.add(run)
      if (isCut && cut !== undefined) queueMicrotask(cut)
      return () => {
        runs.delete(run)
        if (runs.size > 0) return
        for (const resolve of waiting) resolve()
        waiting = []
      }
    },
    idle: () => (runs.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    cutAll() {
      isCut = true
      for (const { cut } of runs) cut?.()
    },
    get isCut() {
      return isCut
    },
    get count() {
      return runs.size
    },
  }
}
