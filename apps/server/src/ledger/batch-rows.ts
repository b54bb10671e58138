import {
  asidesOf,
  type EntryRow,
  endingsOf,
  entryOf,
  holdsOf,
  type LeaseAsk,
  marksOf,
  type Operation,
  type ProgressMark,
  type TokenLimit,
} from './commit.ts'
import type { HoldRequest } from './ledger.ts'
import { type Freed, nothingFreed } from './quota-rules.ts'
import type { SetAside } from './set-aside-row.ts'

/** The condition under which an operation takes effect. */
export const conditions = {
  always: 0,
  /** The store has its reservation, which ends now. */
  ends: 1,
  /** Its entry is new. */
  isNew: 2,
} as const

/** An operation other than opening a reservation, a progress mark or a token limit. */
interface RequestRow {
  /** Index in the batch. */
  readonly place: number
  readonly operation: Operation
  readonly condition: (typeof conditions)[keyof typeof conditions]
  /** Without a kind there is no entry. An ending's `ref` is its reservation. */
  readonly entry: EntryRow
  /** Number of requests counted: 1 for a settlement. */
  readonly requests: 0 | 1
  /** Counts against a limit that the same batch sets. */
  readonly isAfterLimit: boolean
  /** What it takes from the leases of the node. */
  readonly freed: Freed
}

/**
 * A batch as rows for one statement. All parts of the statement see the store as it was before, so dependencies between the operations of a
 * batch are resolved here: of two equal operations only the first takes effect; a reservation that ends gets no progress mark; one that
 * also begins in the batch is never stored.
 */
export interface BatchRows {
  readonly opened: ReadonlyArray<{ readonly request: HoldRequest; readonly mark: ProgressMark | null }>
  /** Progress marks of reservations that stay open; one each. */
  readonly marks: readonly ProgressMark[]
  /** Operations that may take effect, in batch order. */
  readonly operationRows: readonly RequestRow[]
  /** The last limit of each token. */
  readonly limits: readonly TokenLimit[]
  /** Asks of leases, by their places in the batch. */
  readonly asks: ReadonlyArray<readonly [place: number, ask: LeaseAsk]>
  readonly asides: readonly SetAside[]
}

export function rowsOf(operations: readonly Operation[]): BatchRows {
  const opened = holdsOf(operations)
  const isOpened = setOf(opened.map(({ requestId }) => requestId))
  const isEnded = setOf(endingsOf(operations).map(({ hold }) => hold.requestId))
  const marks = new Map(marksOf(operations).map((mark) => [mark.requestId, mark]))
  const limits = lastLimits(operations)
  return {
    opened: opened
      .filter(({ requestId }) => !isEnded(requestId))
      .map((request) => ({ request, mark: marks.get(request.requestId) ?? null })),
    marks: [...marks.values()].filter(({ requestId }) => !isOpened(requestId) && !isEnded(requestId)),
    operationRows: firstOfEach(operations).map(([place, operation]) => ({
      place,
      operation,
      condition: conditionOf(operation, isOpened),
      entry: entryOf(operation) ?? noEntry(operation),
      requests: operation.do === 'settle' ? 1 : 0,
      freed: ('freed' in operation && operation.freed) || nothingFreed,
      isAfterLimit: operation.do === 'settle' && place > (limits.get(operation.hold.tokenId)?.place ?? Number.POSITIVE_INFINITY),
    })),
    limits: [...limits.values()].map(({ limit }) => limit),
    asks: operations.flatMap((operation, place) => (operation.do === 'lease' ? [[place, operation.ask] as const] : [])),
    asides: asidesOf(operations),
  }
}

function setOf(names: readonly string[]): (name: string) => boolean {
  const set = new Set(names)
  return (name) => set.has(name)
}

function lastLimits(operations: readonly Operation[]): ReadonlyMap<number, { readonly place: number; readonly limit: TokenLimit }> {
  const limits = new Map<number, { place: number; limit: TokenLimit }>()
  operations.forEach((operation, place) => {
    if (operation.do === 'set-token') limits.set(operation.limit.tokenId, { place, limit: operation.limit })
  })
  return limits
}

type RequestOperation = Extract<Operation, { do: 'settle' | 'release' | 'post' | 'log' }>

function isRequestOperation(operation: Operation): operation is RequestOperation {
  return operation.do === 'settle' || operation.do === 'release' || operation.do === 'post' || operation.do === 'log'
}

function firstOfEach(operations: readonly Operation[]): ReadonlyArray<readonly [place: number, operation: RequestOperation]> {
  const seen = new Set<string>()
  return operations.flatMap((operation, place) => {
    if (!isRequestOperation(operation)) return []
    const name = nameOf(operation, place)
    if (seen.has(name)) return []
    seen.add(name)
    return [[place, operation] as const]
  })
}

/** An id that is equal for operations of which only one can take effect. */
function nameOf(operation: RequestOperation, place: number): string {
  if (operation.do === 'log') return `log ${place}`
  return operation.do === 'post' ? `${operation.posting.kind} ${operation.posting.ref}` : `end ${operation.hold.requestId}`
}

function conditionOf(operation: RequestOperation, isOpened: (requestId: string) => boolean): RequestRow['condition'] {
  if (operation.do === 'post') return conditions.isNew
  return operation.do === 'log' || isOpened(operation.hold.requestId) ? conditions.always : conditions.ends
}

function noEntry(operation: RequestOperation): EntryRow {
  const nobody = { kind: '', ref: '', userId: 0, tokenId: 0, channelId: 0, account: '', amount: 0 }
  if (operation.do === 'post' || operation.do === 'log') return nobody
  const { requestId, userId, tokenId } = operation.hold
  return { ...nobody, ref: requestId, userId, tokenId }
}
