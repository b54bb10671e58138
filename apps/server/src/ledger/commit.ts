import { addExact, type ExactSum } from './exact-sum.ts'
import type { HoldRequest, NewTokenQuota, Posting, Progress, Resolution, Settlement } from './ledger.ts'
import type { LogEntry } from './log-entry.ts'
import type { Freed, Funds, Payer } from './quota-rules.ts'
import type { SetAside } from './set-aside-row.ts'
import type { TaskEnd } from './task-rows.ts'

/** One operation to commit. A batch keeps the order. */
export type Operation =
  | { readonly do: 'hold'; readonly request: HoldRequest }
  | Ending
  | { readonly do: 'mark'; readonly mark: ProgressMark }
  | Posted
  | { readonly do: 'set-token'; readonly limit: TokenLimit }
  | { readonly do: 'log'; readonly log: LogEntry }
  | { readonly do: 'lease'; readonly ask: LeaseAsk }
  | { readonly do: 'set-aside'; readonly aside: SetAside }

/**
 * What a node asks of its lease: more of it, to give some of it back, or only what the store has of the account or the token. Only one ask
 * of each is under way at a time.
 */
export interface LeaseAsk extends Payer {
  /** The least that is of use. With less to give, nothing is granted, and other nodes are requested to give back what they do not use. */
  readonly need: number
  /** What the request that waits could use. */
  readonly amount: number
  /** The most that is requested; beyond `amount` it is granted up to this node's share of what is left. */
  readonly want: number
  /** The token's highest total spending by its limits for a day and a month; `null`: none. */
  readonly usedMax: number | null
  readonly giveBack: number
}

/** The response to an ask. */
export interface LeaseResult extends Funds {
  /** What is left to grant. */
  readonly pool: number
  /** What is left to grant of the token's own quota, whatever its limits for a day and a month. */
  readonly remainPool: number
  /** How many other nodes were requested to give back what they do not use. */
  readonly recalled: number
  /** How many of them have sent no heartbeat lately, so they may be dead. */
  readonly silent: number
}

/** What a running response has delivered so far. */
export interface ProgressMark extends Progress {
  readonly requestId: string
}

interface Posted {
  readonly do: 'post'
  readonly posting: Posting
  /** The balance in memory already includes it. */
  readonly isCounted: boolean
}

/** An operation that resolves a reservation, unless it is already resolved. */
export type Ending = (
  | { readonly do: 'settle'; readonly hold: Held; readonly settlement: Settlement; readonly freed?: Freed }
  | {
      readonly do: 'release'
      readonly hold: Held
      readonly log: LogEntry | null
      readonly task?: TaskEnd | undefined
      readonly freed?: Freed
    }
) & {
  /** It ends what was set aside before. */
  readonly resolves?: Resolution
}

interface Held {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** The initial amount, where it is known. */
  readonly amount?: number
}

export interface TokenLimit extends NewTokenQuota {
  readonly tokenId: number
}

export interface EntryRow {
  readonly kind: string
  readonly ref: string
  readonly userId: number
  readonly tokenId: number
  readonly channelId: number
  readonly account: string
  readonly amount: number
}

export interface UserChange {
  readonly balance: ExactSum
  readonly used: ExactSum
  readonly requests: number
}

/** The sums of a batch: each user, token and channel is written once, however many requests the batch has. */
export interface Changes {
  readonly users: ReadonlyMap<number, UserChange>
  /** Written in this order: amounts spent before a new limit count against the old one. */
  readonly spent: ReadonlyMap<number, ExactSum>
  readonly limits: ReadonlyMap<number, TokenLimit>
  readonly spentAfter: ReadonlyMap<number, ExactSum>
  readonly channels: ReadonlyMap<number, ExactSum>
  /** The other side of the entries: what each system account gained, by name. */
  readonly accounts: ReadonlyMap<string, ExactSum>
  readonly logs: readonly LogEntry[]
}

// A batch is written in three steps, each of which needs the store's result of the previous one: reservations are opened and ended,
// entries are made for those that ended, and balances are changed by the new entries. All engines use these steps.

export function holdsOf(operations: readonly Operation[]): readonly HoldRequest[] {
  const holds: HoldRequest[] = []
  for (const operation of operations) if (operation.do === 'hold') holds.push(operation.request)
  return holds
}

export function isEnding(operation: Operation): operation is Ending {
  return operation.do === 'settle' || operation.do === 'release'
}

export function endingsOf(operations: readonly Operation[]): readonly Ending[] {
  return operations.filter(isEnding)
}

export function asidesOf(operations: readonly Operation[]): readonly SetAside[] {
  return operations.flatMap((operation) => (operation.do === 'set-aside' ? [operation.aside] : []))
}

/** A task that an ending ends, and what it was charged. */
export interface EndedTask extends TaskEnd {
  readonly charged: number
}

export function taskEndOf(operation: Operation): EndedTask | null {
  if (operation.do === 'settle') {
    const { task, amount } = operation.settlement
    return task === undefined ? null : { ...task, charged: amount }
  }
  return operation.do === 'release' && operation.task !== undefined ? { ...operation.task, charged: 0 } : null
}

/** Progress marks are written after the endings; a mark of an ended reservation has no effect. */
export function marksOf(operations: readonly Operation[]): readonly ProgressMark[] {
  const marks: ProgressMark[] = []
  for (const operation of operations) if (operation.do === 'mark') marks.push(operation.mark)
  return marks
}

/** An entry to write, and its operation. */
export interface Entry {
  readonly operation: Operation
  readonly row: EntryRow
}

export function entriesOf(operations: readonly Operation[], ended: ReadonlySet<Operation>): readonly Entry[] {
  const entries: Entry[] = []
  for (const operation of operations) {
    const row = entryOf(operation)
    if (row !== null && (operation.do !== 'settle' || ended.has(operation))) entries.push({ operation, row })
  }
  return entries
}

/** The entry that an operation writes if it takes effect; `null`: none. */
export function entryOf(operation: Operation): EntryRow | null {
  if (operation.do === 'post') return postedRow(operation.posting)
  if (operation.do !== 'settle' || operation.settlement.amount === 0) return null
  return consumedRow(operation.hold, operation.settlement)
}

/** The log row that belongs to an operation. */
export function logOf(operation: Operation): LogEntry | null {
  switch (operation.do) {
    case 'settle':
      return operation.settlement.log
    case 'release':
    case 'log':
      return operation.log
    case 'post':
      return operation.posting.log ?? null
    case 'hold':
    case 'mark':
    case 'set-token':
    case 'lease':
    case 'set-aside':
      return null
  }
}

/** The length of the texts of an operation that may be long. */
export function textCharsOf(operation: Operation): number {
  const log = logOf(operation)
  const task = operation.do === 'hold' ? operation.request.task?.order_sealed : taskEndOf(operation)?.resultSealed
  return (log?.content.length ?? 0) + (log?.detail.length ?? 0) + (task?.length ?? 0)
}

/** The system account on the other side of entries of this kind. */
const accountOf = (kind: Posting['kind']): string => `sys:${kind}`
export const consumeAccount = 'sys:consume'

function postedRow({ userId, kind, ref, amount }: Posting): EntryRow {
  return { kind, ref, userId, tokenId: 0, channelId: 0, account: accountOf(kind), amount }
}

function consumedRow({ requestId, userId, tokenId }: Held, { amount, channelId }: Settlement): EntryRow {
  return { kind: 'consume', ref: requestId, userId, tokenId, channelId, account: consumeAccount, amount: -amount }
}

/** Which reservations ended and which postings were new. All other operations always take effect. */
export interface Done {
  readonly ended: ReadonlySet<Operation>
  readonly entered: ReadonlySet<Operation>
}

export function didSomething(operation: Operation, { ended, entered }: Done): boolean {
  if (operation.do === 'post') return entered.has(operation)
  return operation.do === 'settle' || operation.do === 'release' ? ended.has(operation) : true
}

interface Sums {
  readonly users: Map<number, UserChange>
  readonly spent: Map<number, ExactSum>
  readonly limits: Map<number, TokenLimit>
  readonly spentAfter: Map<number, ExactSum>
  readonly channels: Map<number, ExactSum>
  readonly accounts: Map<string, ExactSum>
  readonly logs: LogEntry[]
}

export function changesOf(operations: readonly Operation[], done: Done): Changes {
  const sums: Sums = {
    users: new Map(),
    spent: new Map(),
    limits: new Map(),
    spentAfter: new Map(),
    channels: new Map(),
    accounts: new Map(),
    logs: [],
  }
  for (const operation of operations) if (didSomething(operation, done)) addUp(sums, operation)
  return sums
}

const noChange: UserChange = { balance: 0, used: 0, requests: 0 }

function addUp(sums: Sums, operation: Operation): void {
  const log = logOf(operation)
  if (log !== null) sums.logs.push(log)
  if (operation.do === 'settle') addSettlement(sums, operation.hold, operation.settlement)
  if (operation.do === 'post') addPosting(sums, operation.posting)
  if (operation.do === 'set-token') setLimit(sums, operation.limit)
}

function addSettlement(sums: Sums, { userId, tokenId }: Held, { amount, channelId }: Settlement): void {
  addToUser(sums, userId, { balance: -amount, used: amount, requests: 1 })
  add(sums.limits.has(tokenId) ? sums.spentAfter : sums.spent, tokenId, amount)
  if (amount === 0) return
  add(sums.channels, channelId, amount)
  add(sums.accounts, consumeAccount, amount)
}

function addPosting(sums: Sums, { userId, kind, amount }: Posting): void {
  addToUser(sums, userId, { ...noChange, balance: amount })
  add(sums.accounts, accountOf(kind), -amount)
}

function setLimit({ spent, limits, spentAfter }: Sums, limit: TokenLimit): void {
  const between = spentAfter.get(limit.tokenId)
  if (between !== undefined) add(spent, limit.tokenId, between)
  spentAfter.delete(limit.tokenId)
  limits.set(limit.tokenId, limit)
}

function addToUser({ users }: Sums, userId: number, change: UserChange): void {
  const known = users.get(userId) ?? noChange
  users.set(userId, {
    balance: addExact(known.balance, change.balance),
    used: addExact(known.used, change.used),
    requests: known.requests + change.requests,
  })
}

function add<Id>(totals: Map<Id, ExactSum>, id: Id, amount: ExactSum): void {
  totals.set(id, addExact(totals.get(id) ?? 0, amount))
}
