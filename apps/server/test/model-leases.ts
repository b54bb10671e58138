import type { LeaseAsk, LeaseResult } from '../src/ledger/commit.ts'
import type { Freed } from '../src/ledger/quota-rules.ts'

/** One account and one token of it, in place of the tables of a shared database, with what nodes have of them. */
export interface ModelBooks {
  quota: number
  leased: number
  remain: number
  tokenLeased: number
  used: number
  readonly nodes: Map<number, ModelNodeRow>
  /** Stored reservations by request, with their node. */
  readonly holds: Map<string, { readonly epoch: number; delivered: number }>
  /** What the rows of reservations keep whose ends were refused, by request. They belong to no node. */
  readonly asides: Map<string, { user: number; token: number }>
  /** What each request was charged. */
  readonly entries: Map<string, number>
}

interface ModelNodeRow {
  isLive: boolean
  user: number
  token: number
  isRecalled: { user: boolean; token: boolean }
}

/** One change of a batch, as the statement of PostgreSQL applies it. */
export type ModelChange =
  | { readonly do: 'hold'; readonly requestId: string }
  | { readonly do: 'mark'; readonly requestId: string; readonly delivered: number }
  | { readonly do: 'end'; readonly requestId: string; readonly amount: number; readonly freed: Freed; readonly isStored: boolean }
  | { readonly do: 'ask'; readonly ask: LeaseAsk }
  /** The end of a reservation that was refused. `isOwned`: the node had the reservation; if not, it was set aside before. */
  | { readonly do: 'aside'; readonly requestId: string; readonly kept: Freed; readonly isOwned: boolean }
  | { readonly do: 'end-aside'; readonly requestId: string; readonly amount: number; readonly freed: Freed }

export function openBooks(quota: number, remain: number): ModelBooks {
  return { quota, leased: 0, remain, tokenLeased: 0, used: 0, nodes: new Map(), holds: new Map(), asides: new Map(), entries: new Map() }
}

export function addNode(books: ModelBooks, epoch: number): void {
  books.nodes.set(epoch, { isLive: true, user: 0, token: 0, isRecalled: { user: false, token: false } })
}

/** Applies a batch of a node as one transaction. `null`: the node was declared dead. */
export function applyBatch(books: ModelBooks, epoch: number, changes: readonly ModelChange[]): readonly LeaseResult[] | null {
  const row = books.nodes.get(epoch)
  if (row === undefined || !row.isLive) return null
  for (const change of changes) applyChange(books, epoch, change)
  return changes.flatMap((change) => (change.do === 'ask' ? [grant(books, epoch, change.ask)] : []))
}

function applyChange(books: ModelBooks, epoch: number, change: ModelChange): void {
  if (change.do === 'hold') books.holds.set(change.requestId, { epoch, delivered: 0 })
  if (change.do === 'mark') {
    const hold = books.holds.get(change.requestId)
    if (hold !== undefined) hold.delivered = change.delivered
  }
  if (change.do === 'end') {
    if (change.isStored && !books.holds.delete(change.requestId)) return
    charge(books, change.requestId, change.amount)
    free(books, epoch, change.freed)
  }
  if (change.do === 'aside') setAside(books, epoch, change)
  if (change.do === 'end-aside') endAside(books, epoch, change)
}

/** The rule of `writeAsides` in postgres-set-aside.ts: what a row keeps leaves the node's lease and stays leased. */
function setAside(books: ModelBooks, epoch: number, { requestId, kept, isOwned }: Extract<ModelChange, { do: 'aside' }>): void {
  const before = books.asides.get(requestId)
  free(books, epoch, kept)
  if (!isOwned && before === undefined) return
  books.holds.delete(requestId)
  books.asides.set(requestId, { user: kept.user + (before?.user ?? 0), token: kept.token + (before?.token ?? 0) })
  books.leased += kept.user
  books.tokenLeased += kept.token
}

function endAside(books: ModelBooks, epoch: number, { requestId, amount, freed }: Extract<ModelChange, { do: 'end-aside' }>): void {
  const kept = books.asides.get(requestId)
  if (kept === undefined) return
  books.asides.delete(requestId)
  charge(books, requestId, amount)
  free(books, epoch, freed)
  books.leased -= kept.user
  books.tokenLeased -= kept.token
}

function charge(books: ModelBooks, requestId: string, amount: number): void {
  if (books.entries.has(requestId)) throw new Error(`${requestId} is charged twice`)
  books.entries.set(requestId, amount)
  books.quota -= amount
  books.remain -= amount
  books.used += amount
}

function free(books: ModelBooks, epoch: number, { user, token }: Freed): void {
  const row = books.nodes.get(epoch)
  if (row === undefined) return
  row.user -= user
  row.token -= token
  books.leased -= user
  books.tokenLeased -= token
}

/** The rule of `grantOf` in postgres-lease-queries.ts. */
function grant(books: ModelBooks, epoch: number, { of, id, need, amount, want, usedMax, giveBack }: LeaseAsk): LeaseResult {
  const row = books.nodes.get(epoch)
  if (row === undefined) throw new Error(`there is no node ${epoch}`)
  free(books, epoch, of === 'user' ? { user: giveBack, token: 0 } : { user: 0, token: giveBack })
  row.isRecalled[of] = false
  const live = [...books.nodes.values()].filter(({ isLive }) => isLive).length
  const remainPool = of === 'user' ? books.quota - books.leased : books.remain - books.tokenLeased
  const pool = of === 'user' || usedMax === null ? remainPool : Math.min(remainPool, usedMax - books.used - books.tokenLeased)
  const granted = pool < need || pool <= 0 ? 0 : Math.min(pool, Math.max(amount, Math.min(want, Math.floor(pool / live))))
  row[of] += granted
  if (of === 'user') books.leased += granted
  else books.tokenLeased += granted
  const others = [...books.nodes].filter(([other, node]) => pool < need && other !== epoch && node[of] > 0)
  for (const [, node] of others) node.isRecalled[of] = true
  const limit = of === 'user' ? null : { remain: books.remain, isUnlimited: false, used: books.used, forms: '' }
  return {
    of,
    id,
    granted,
    balance: books.quota,
    limit,
    pool: pool - granted,
    remainPool: remainPool - granted,
    recalled: others.length,
    silent: 0,
  }
}

/** Resolves one reservation of a dead node by its progress mark. */
export function sweepOne(books: ModelBooks): void {
  for (const [requestId, { epoch, delivered }] of books.holds) {
    if (books.nodes.get(epoch)?.isLive === true) continue
    books.holds.delete(requestId)
    charge(books, requestId, delivered)
    return
  }
}

/** Gives back the leases of dead nodes that have no reservations left. */
export function closeDead(books: ModelBooks): void {
  const busy = new Set([...books.holds.values()].map(({ epoch }) => epoch))
  for (const [epoch, { isLive, user, token }] of books.nodes) {
    if (isLive || busy.has(epoch)) continue
    free(books, epoch, { user, token })
    books.nodes.delete(epoch)
  }
}
