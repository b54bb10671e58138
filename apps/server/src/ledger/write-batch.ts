import type { Logger } from 'pino'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type Ending, isEnding, type LeaseResult, type Operation } from './commit.ts'
import type { LedgerStore } from './ledger-store.ts'
import { type KeptHold, toSetAside } from './set-aside.ts'

/** An operation whose caller waits for its commit. */
export interface Waiting {
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

export interface BatchWriterDeps {
  readonly store: Pick<LedgerStore, 'commit' | 'isRefusal'>
  readonly clock: Clock
  readonly log: Logger
  readonly reached: Reached
  readonly committed: (operations: number, elapsedMs: number) => void
  /** Called with the results of a batch, before anything else is read or committed. */
  readonly applied: (operations: readonly Operation[], results: readonly boolean[], leases: readonly LeaseResult[]) => void
  /** Called for a reservation that was committed after its request had been refused for a timeout. */
  readonly onHoldTimeout: (operation: Operation) => void
  /** Called before an end that the store refuses is set aside: memory keeps its reservation. */
  readonly keepHold: (ending: Ending) => KeptHold
  /** Called for any other operation that the store refuses: memory takes it back. */
  readonly refused: (operation: Operation) => void
}

/** Operations of one batch that the store may refuse. If it refuses more, it is broken and not they. */
const refusalsMax = 32

/**
 * Commits batches. If the store refuses one, its halves are committed one after the other, down to the operation that is refused alone: the end of
 * a reservation is set aside, and any other failure is reported to the caller. Everything else is committed, in order.
 * @returns a function that throws if the store is broken
 */
export function createBatchWriter(deps: BatchWriterDeps): (batch: readonly Waiting[]) => Promise<void> {
  const { store, clock, log, reached, committed, applied, onHoldTimeout, keepHold, refused } = deps
  /** Reservations of running requests that the store refused. They are committed together with their ends, and then never stored. */
  const unstored = new Map<string, Operation>()

  async function write(batch: readonly Waiting[]): Promise<void> {
    await writeParts(batch, { left: refusalsMax })
  }

  async function writeParts(batch: readonly Waiting[], refusals: { left: number }): Promise<void> {
    const error = await tryAll(batch)
    if (error === null) return
    if (batch.length > 1) {
      const middle = batch.length >> 1
      await writeParts(batch.slice(0, middle), refusals)
      await writeParts(batch.slice(middle), refusals)
      return
    }
    refusals.left -= 1
    if (refusals.left < 0) throw error.refusal
    for (const waiting of batch) await refuse(waiting, error.refusal)
  }

  /** @returns why the store refused the batch; `null`: it is committed. @throws what no other batch could mend */
  async function tryAll(batch: readonly Waiting[]): Promise<{ readonly refusal: unknown } | null> {
    const operations = withUnstored(batch.map(({ operation }) => operation))
    const startedMs = clock.monotonicMs()
    let results: readonly boolean[] | null = null
    try {
      await commit(operations, (done) => {
        results = done
      })
    } catch (error) {
      // Errors after the commit are faults of our own.
      if (results !== null || !store.isRefusal(error)) throw error
      return { refusal: error }
    }
    committed(operations.length, clock.monotonicMs() - startedMs)
    finish(batch, operations, results ?? [])
    return null
  }

  /** Notifies the callers of a committed batch. `operations` may have more than theirs, in the same order. */
  function finish(batch: readonly Waiting[], operations: readonly Operation[], results: readonly boolean[]): void {
    let index = 0
    for (const { resolve, operation, isInVain } of batch) {
      while (operations[index] !== operation) index += 1
      if (unstored.size > 0 && isEnding(operation)) unstored.delete(operation.hold.requestId)
      if (isInVain) onHoldTimeout(operation)
      else resolve(results[index] === true)
      index += 1
    }
  }

  async function commit(operations: readonly Operation[], keep: (results: readonly boolean[]) => void): Promise<void> {
    await store.commit({
      operations,
      nowSeconds: nowSeconds(clock),
      apply(results, leases) {
        keep(results)
        applied(operations, results, leases)
      },
    })
  }

  function withUnstored(operations: readonly Operation[]): readonly Operation[] {
    if (unstored.size === 0) return operations
    return operations.flatMap((operation) => {
      const hold = isEnding(operation) ? unstored.get(operation.hold.requestId) : undefined
      return hold === undefined ? [operation] : [hold, operation]
    })
  }

  /** Does without one operation. The store takes what is written here, unless it is broken. @throws then */
  async function refuse({ operation, resolve, reject, isAwaited }: Waiting, cause: unknown): Promise<void> {
    log.error({ err: cause, operation: operation.do, request: requestOf(operation) }, 'ledger operation rejected by the database')
    const failure = new AppError('internal_error', { cause })
    if (isEnding(operation)) {
      const { requestId } = operation.hold
      const aside = toSetAside(operation, cause, keepHold(operation))
      unstored.delete(requestId)
      reached('set-aside-asked')
      await commit([{ do: 'set-aside', aside }], () => {})
      // A client that already has its response gets the end of it, too. A caller that tried again gets the failure.
      if (operation.resolves === undefined) resolve(true)
      else reject(failure)
      return
    }
    await commit([], () => {})
    if (operation.do === 'hold' && !isAwaited) unstored.set(operation.request.requestId, operation)
    else refused(operation)
    reject(failure)
  }

  return write
}

function requestOf(operation: Operation): string {
  if (operation.do === 'hold') return operation.request.requestId
  if (operation.do === 'mark') return operation.mark.requestId
  return isEnding(operation) ? operation.hold.requestId : ''
}
