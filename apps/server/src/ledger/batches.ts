import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { ShortLivedMap } from '../lib/short-lived-map.ts'
import { type Operation, textCharsOf } from './commit.ts'
import type { LedgerStore } from './ledger-store.ts'
import { type BatchWriterDeps, createBatchWriter, type Waiting } from './write-batch.ts'

/**
 * Commits decisions in batches. A batch starts when the previous one is done, so a single request is not delayed, and under load many
 * requests share one transaction.
 */
export interface Batches {
  /** Resolves when committed. `false`: the operation had been done before. */
  commit(operation: Operation): Promise<boolean>
  /** Commits a reservation that nobody waits for, soon, but not if it ends before: then it and its end are one change. */
  commitLater(operation: HoldOperation): void
  /** Whether the store is so slow, or so much waits for it, that no new reservations may be made. */
  isStalled(): boolean
  /** Whether a batch failed; nothing is accepted after that. */
  isBroken(): boolean
  /** Resolves when nothing waits. */
  drain(): Promise<void>
}

type HoldOperation = Extract<Operation, { readonly do: 'hold' }>

interface BatchesDeps extends BatchWriterDeps {
  readonly store: LedgerStore
  readonly deadlines: Deadlines
  /** Called once, when nothing is accepted any more. */
  readonly broke: () => void
}

/** Maximum operations per transaction: about 5 ms of writing. */
const batchMax = 1024

/**
 * Maximum characters of the texts of a transaction, beyond which an operation waits for the next one. PostgreSQL takes 256 MB as one value of
 * JSON, and memory is needed several times.
 */
const batchCharsMax = 33_554_432

/** Longest time during which a batch is collected: as long as every turn of the event loop brings more. */
const gatheringMs = 5

/** Longest wait of a reservation for the store: its request is not sent yet, so the client can use another server. */
const holdMs = 5_000
/** If an operation waits longer, the store counts as stalled. */
const stalledMs = 2_500
/** Operations that may wait: half a second's worth at ten thousand per second. */
const waitingMax = 5_000
/** How long a reservation that nobody waits for is kept back. Most short requests end before. */
const laterMs = 250
/** Interval at which waiting operations are checked. */
const lookEveryMs = 500

/** Longest wait at shutdown for a store that is unavailable. */
const drainMs = 10_000

const ignored = (): void => {}

export function createBatches(deps: BatchesDeps): Batches {
  const { store, clock, deadlines, log, broke } = deps
  const writeBatch = createBatchWriter(deps)
  let queue: Waiting[] = []
  let writing: readonly Waiting[] = []
  let flushing: Promise<void> | null = null
  let broken: unknown = null
  let isWatching = false
  /** Reservations that are kept back, the oldest first, by request. */
  const later = new ShortLivedMap<HoldOperation>()
  let isLaterDue = false

  async function flush(): Promise<void> {
    await gather()
    while (queue.length > 0) {
      const length = batchLength(queue)
      writing = queue.slice(0, length)
      queue = queue.slice(length)
      await write(writing)
    }
    writing = []
    flushing = null
  }

  /**
   * Lets operations of the next turns join the batch until a turn brings none: a single request waits for one turn, microseconds, and a
   * loaded server commits more in each transaction.
   */
  async function gather(): Promise<void> {
    const untilMs = clock.monotonicMs() + gatheringMs
    let before = 0
    while (queue.length > before && clock.monotonicMs() < untilMs) {
      before = queue.length
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    try {
      await writeBatch(batch)
    } catch (error) {
      // Memory holds decisions that the store did not accept. To keep the two from diverging, no new ones are made.
      broken = error
      log.fatal({ err: error }, 'ledger commit failed, no more requests are accepted')
      for (const { reject } of [...batch, ...queue]) reject(new AppError('internal_error', { cause: error }))
      queue = []
      broke()
    }
  }

  /** Refuses waiting reservations, whose requests were not sent yet. Charges of delivered responses keep waiting. */
  function refuseHolds(beforeMs: number): void {
    for (const waiting of [...writing, ...queue]) {
      if (waiting.sinceMs > beforeMs) return
      if (!waiting.isAwaited || waiting.isInVain) continue
      waiting.isInVain = true
      waiting.reject(new AppError(store.trouble() ?? 'database_unavailable', { retryAfterSeconds: 5 }))
    }
  }

  function enqueue({ operation, resolve, reject, isAwaited }: Omit<Waiting, 'sinceMs' | 'isInVain'>): void {
    queue.push({ operation, sinceMs: clock.monotonicMs(), resolve, reject, isAwaited, isInVain: false })
    flushing ??= flush()
    watch()
  }

  /** Puts a reservation that was kept back before the operation that needs it. */
  function precede(requestId: string): void {
    const operation = later.get(requestId)
    if (operation === undefined) return
    later.delete(requestId)
    // Its failure is reported by the next operation of its request.
    enqueue({ operation, resolve: ignored, reject: ignored, isAwaited: false })
  }

  function commitDue(): void {
    isLaterDue = false
    for (const requestId of later.keys()) precede(requestId)
  }

  store.onLost(() => refuseHolds(Number.POSITIVE_INFINITY))

  /** One timer for all waiting operations, and none if nothing waits. */
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
      if (operation.do === 'settle' || operation.do === 'release') precede(operation.hold.requestId)
      return new Promise((resolve, reject) => enqueue({ operation, resolve, reject, isAwaited: operation.do === 'hold' }))
    },
    commitLater(operation) {
      if (broken !== null) return
      later.set(operation.request.requestId, operation)
      if (isLaterDue) return
      isLaterDue = true
      deadlines.start(laterMs, commitDue)
    },
    isStalled() {
      const [oldest = queue[0]] = writing
      return queue.length >= waitingMax || (oldest !== undefined && clock.monotonicMs() - oldest.sinceMs > stalledMs)
    },
    isBroken: () => broken !== null,
    async drain() {
      const timer = setTimeout(store.giveUp, drainMs)
      commitDue()
      while (flushing !== null) await flushing
      clearTimeout(timer)
    },
  }
}

/** How many of the operations that wait the next batch has: at least one. */
function batchLength(queue: readonly Waiting[]): number {
  let chars = 0
  for (const [index, { operation }] of queue.entries()) {
    chars += textCharsOf(operation)
    if (index >= batchMax || (index > 0 && chars > batchCharsMax)) return index
  }
  return queue.length
}
