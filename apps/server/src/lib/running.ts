import type { Signal } from '@sluice/http1/hang-up'
import { AppError } from './app-error.ts'

/** Requests and answers that run now, so that a shutdown can wait for them and in the end cut them. */
export interface Running {
  /** @param cut ends the answer early; missing where it cannot be ended. @returns to be called when the answer is over */
  begin(cut?: () => void): () => void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  /** Cuts what runs, and whatever may still begin. */
  cutAll(): void
  readonly isCut: boolean
  /** Nothing new may be begun with what was cut. @throws AppError shutting_down */
  needUncut(): void
  /** Says whether nobody waits for an answer any more: its client has gone, or everything was cut. It holds nothing else of a request. */
  overWith(client: Pick<Signal, 'aborted'>): () => boolean
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
    overWith: (client) => () => client.aborted || isCut,
    needUncut() {
      if (isCut) throw new AppError('shutting_down', { retryAfterSeconds: 1 })
    },
  }
}
