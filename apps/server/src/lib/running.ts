import type { Signal } from '@sluice/http1/client-abort'
import { nowhere, UnorderedSet, type UnorderedSetItem } from '@sluice/http1/unordered-set'
import { AppError } from './app-error.ts'

/** The running requests and responses, so that a shutdown can wait for them and finally cut them. */
export interface Running {
  /** @param cut ends the response early; not given if it cannot be ended. @returns a function to call when the response is over */
  begin(cut?: () => void): () => void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  /** Cuts everything that runs, and everything that begins later. */
  cutAll(): void
  readonly isCut: boolean
  /** How many run. */
  readonly count: number
  /** Refuses new work after `cutAll`. @throws AppError shutting_down */
  assertAccepting(): void
  /** @returns whether nobody waits for the response any more: the client disconnected, or everything was cut. Keeps only the signal alive. */
  isAborted(client: Pick<Signal, 'aborted'>): () => boolean
}

interface Run extends UnorderedSetItem {
  /** Ends the response early; `undefined`: it cannot be ended. */
  readonly cut: (() => void) | undefined
}

export function createRunning(): Running {
  const runs = new UnorderedSet<Run>()
  let waiting: Array<() => void> = []
  let isCut = false
  return {
    begin(cut) {
      const run = { cut, place: nowhere }
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
      for (const { cut } of runs.all()) cut?.()
    },
    get isCut() {
      return isCut
    },
    get count() {
      return runs.size
    },
    isAborted: (client) => () => client.aborted || isCut,
    assertAccepting() {
      if (isCut) throw new AppError('shutting_down', { retryAfterSeconds: 1 })
    },
  }
}
