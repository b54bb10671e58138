import type { Logger } from 'pino'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { ShortLivedMap } from '../lib/short-lived-map.ts'
import type { LeaseAnswer, Operation } from './commit.ts'
import type { LedgerStore } from './ledger-store.ts'

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

interface BatchesDeps {
  readonly store: LedgerStore
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly log: Logger
  readonly committed: (operations: number, elapsedMs: number) => void
  /** Called with the results of a batch, before anything else is read or committed. */
  readonly applied: (operations: readonly Operation[], results: readonly boolean[], leases: readonly LeaseAnswer[]) => void
  /** Called for a reservation that was committed after its request had been refused for a timeout. */
  readonly heldInVain: (operation: Operation) => void
}

/** Maximum operations per transaction: about 5 ms of writing. */
const batchMax = 1024

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

interface Waiting {
  readonly operation: Operation
  /** Monotonic milliseconds. */
  readonly sinceMs: number
  readonly resolve: (didSomething: boolean) => void
  readonly reject: (error: unknown) => void
  /** Its request waits for it, and can be refused. */
  readonly isAwaited: boolean
  /** Its request was refused because the store took too long. */
  isInVain: boolean
}

export function createBatches({ store, clock, deadlines, log, committed, applied, heldInVain }: BatchesDeps): Batches {
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
      writing = queue.slice(0, batchMax)
      queue = queue.slice(batchMax)
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
    const operations = batch.map(({ operation }) => operation)
    let results: readonly boolean[] = []
    const apply = (done: readonly boolean[], leases: readonly LeaseAnswer[]): void => {
      results = done
      applied(operations, done, leases)
    }
    const startedMs = clock.monotonicMs()
    try {
      await store.commit({ operations, nowSeconds: nowSeconds(clock), apply })
    } catch (error) {
      // Memory holds decisions that the store did not accept. To keep the two from diverging, no new ones are made.
      broken = error
      log.fatal({ err: error }, 'the ledger cannot write to its store and takes no more requests')
      for (const { reject } of [...batch, ...queue]) reject(new AppError('internal_error', { cause: error }))
      queue = []
      return
    }
    committed(operations.length, clock.monotonicMs() - startedMs)
    let index = 0
    for (const { resolve, operation, isInVain } of batch) {
      if (isInVain) heldInVain(operation)
      else resolve(results[index] === true)
      index += 1
    }
  }

  /** Refuses waiting reservations, whose requests were not sent yet. Charges of delivered answers keep waiting. */
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
    // Its failure is told by the next operation of its request.
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
