import type { Logger } from 'pino'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { Operation } from './commit.ts'
import type { LedgerStore } from './ledger-store.ts'

/**
 * What was decided is committed in batches that clock themselves: the next starts when the last is done, so a lone request waits for
 * nothing and a crowd shares one transaction.
 */
export interface Batches {
  /** Resolves when committed. `false`: it had been done before. */
  commit(operation: Operation): Promise<boolean>
  /** Whether the store takes too long, or too much waits for it, to promise anything new. */
  isStalled(): boolean
  /** Whether a batch has failed, so that nothing more is taken. */
  isBroken(): boolean
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>
}

interface BatchesDeps {
  readonly store: LedgerStore
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly log: Logger
  readonly committed: (operations: number, elapsedMs: number) => void
  /** Told what a batch has done before anything else is read or committed. */
  readonly applied: (operations: readonly Operation[], results: readonly boolean[]) => void
  /** A reservation was committed after its request had been told that it was not. */
  readonly heldInVain: (operation: Operation) => void
}

/** Most operations one transaction takes: about 5 ms of writing. */
const batchMax = 1024

/** Turns of the event loop in which a batch is gathered. More of them cost more than the commits that they save. */
const gatheringTurns = 2

/** Longest wait of a reservation for the store: its request has not been sent yet, and another server may take it. */
const holdMs = 5_000
/** What is not committed for so long says that the store is stuck. */
const stalledMs = 2_500
/** Operations that may wait: at ten thousand a second half a second of them. */
const waitingMax = 5_000
/** How often what waits is looked at. */
const lookEveryMs = 500

/** Longest wait for a store that is away when the server stops. */
const drainMs = 10_000

interface Waiting {
  readonly operation: Operation
  /** Monotonic milliseconds. */
  readonly sinceMs: number
  readonly resolve: (didSomething: boolean) => void
  readonly reject: (error: unknown) => void
  /** Its request has been told that the store is away. */
  isInVain: boolean
}

export function createBatches({ store, clock, deadlines, log, committed, applied, heldInVain }: BatchesDeps): Batches {
  let queue: Waiting[] = []
  let writing: readonly Waiting[] = []
  let flushing: Promise<void> | null = null
  let broken: unknown = null
  let isWatching = false

  async function flush(): Promise<void> {
    // What these turns of the event loop still bring joins the batch: a lone request waits some microseconds longer, a crowd commits half as often.
    for (let turn = 0; turn < gatheringTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      writing = queue.slice(0, batchMax)
      queue = queue.slice(batchMax)
      await write(writing)
    }
    writing = []
    flushing = null
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const operations = batch.map(({ operation }) => operation)
    let results: readonly boolean[] = []
    const apply = (done: readonly boolean[]): void => {
      results = done
      applied(operations, done)
    }
    const startedMs = clock.monotonicMs()
    try {
      await store.commit({ operations, nowSeconds: nowSeconds(clock), apply })
    } catch (error) {
      // Memory has decided what the store did not take. Going on would let the two drift apart, so nothing more is promised.
      broken = error
      log.fatal({ err: error }, 'the ledger cannot write to its store and takes no more requests')
      for (const { reject } of [...batch, ...queue]) reject(new AppError('internal_error', { cause: error }))
      queue = []
      return
    }
    committed(operations.length, clock.monotonicMs() - startedMs)
    for (const [index, { resolve, operation, isInVain }] of batch.entries()) {
      if (isInVain) heldInVain(operation)
      else resolve(results[index] === true)
    }
  }

  /** A request that has not been sent yet need not wait for the store; what has been delivered must be charged, and waits. */
  function refuseHolds(beforeMs: number): void {
    for (const waiting of [...writing, ...queue]) {
      if (waiting.sinceMs > beforeMs) return
      if (waiting.operation.do !== 'hold' || waiting.isInVain) continue
      waiting.isInVain = true
      waiting.reject(new AppError(store.trouble() ?? 'database_unavailable', { retryAfterSeconds: 5 }))
    }
  }

  store.onLost(() => refuseHolds(Number.POSITIVE_INFINITY))

  /** One look for all that waits, and none where nothing does. */
  function watch(): void {
    if (isWatching) return
    isWatching = true
    deadlines.start(lookEveryMs, () => {
      isWatching = false
      refuseHolds(clock.monotonicMs() - holdMs)
      if (flushing !== null) watch()
    })
  }

  return {
    commit(operation) {
      if (broken !== null) return Promise.reject(new AppError('internal_error', { cause: broken }))
      return new Promise((resolve, reject) => {
        queue.push({ operation, sinceMs: clock.monotonicMs(), resolve, reject, isInVain: false })
        flushing ??= flush()
        watch()
      })
    },
    isStalled() {
      const [oldest = queue[0]] = writing
      return queue.length >= waitingMax || (oldest !== undefined && clock.monotonicMs() - oldest.sinceMs > stalledMs)
    },
    isBroken: () => broken !== null,
    async drain() {
      const timer = setTimeout(store.giveUp, drainMs)
      while (flushing !== null) await flushing
      clearTimeout(timer)
    },
  }
}
