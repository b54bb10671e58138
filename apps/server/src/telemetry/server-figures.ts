import { createHistogram, type Histogram, observe } from './histogram.ts'

/** Seconds: a batch takes some tenths of a millisecond; a failing store takes seconds. */
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const
const delayBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const

/** Counters outside the relay: management calls, the ledger's batches, and event loop delay. */
export interface ServerFigures {
  /** Management API calls: by HTTP status, then error code; an empty code is a success. */
  readonly apiCalls: ReadonlyMap<number, ReadonlyMap<string, number>>
  /** Rate-limited calls, by class of limit. */
  readonly rateLimited: ReadonlyMap<string, number>
  readonly batchOperations: Histogram
  readonly batchSeconds: Histogram
  readonly loopDelay: Histogram
  apiResponded(status: number, code: string): void
  limited(limitClass: string): void
  committed(operations: number, elapsedMs: number): void
  loopDelayed(delayMs: number): void
}

export function createServerFigures(): ServerFigures {
  const apiCalls = new Map<number, Map<string, number>>()
  const rateLimited = new Map<string, number>()
  const batchOperations = createHistogram(batchBounds)
  const batchSeconds = createHistogram(commitBounds)
  const loopDelay = createHistogram(delayBounds)

  return {
    apiCalls,
    rateLimited,
    batchOperations,
    batchSeconds,
    loopDelay,
    apiResponded(status, code) {
      const byCode = apiCalls.get(status) ?? new Map<string, number>()
      apiCalls.set(status, byCode.set(code, (byCode.get(code) ?? 0) + 1))
    },
    limited(limitClass) {
      rateLimited.set(limitClass, (rateLimited.get(limitClass) ?? 0) + 1)
    },
    committed(operations, elapsedMs) {
      observe(batchOperations, operations)
      observe(batchSeconds, elapsedMs / 1000)
    },
    loopDelayed(delayMs) {
      observe(loopDelay, Math.max(0, delayMs) / 1000)
    },
  }
}
