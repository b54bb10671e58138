import type { HoldRequest, Posting, Settlement } from './ledger.ts'
import type { LogEntry } from './log-entry.ts'
import type { EntryRow, LedgerStatements, UserChange } from './queries.ts'

/** One thing to commit. The batch keeps their order. */
export type Operation =
  | { readonly do: 'hold'; readonly request: HoldRequest }
  | { readonly do: 'settle'; readonly hold: Held; readonly settlement: Settlement }
  | { readonly do: 'release'; readonly hold: Held; readonly log: LogEntry | null }
  | { readonly do: 'post'; readonly posting: Posting }
  | { readonly do: 'set-token'; readonly tokenId: number; readonly remain: number; readonly isUnlimited: boolean }
  | { readonly do: 'log'; readonly log: LogEntry }

interface Held {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
}

/** Sums of a batch: a busy user, token or channel is written once, however many requests the batch holds. */
interface Sums {
  readonly users: Map<number, UserChange>
  readonly tokens: Map<number, number>
  readonly channels: Map<number, number>
}

const noChange: UserChange = { balance: 0, used: 0, requests: 0 }

/**
 * Writes a batch; the caller wraps it in one transaction.
 * @returns for each operation whether it did something: `false` where it had been done before
 */
export function commitBatch(statements: LedgerStatements, operations: readonly Operation[], nowSeconds: number): readonly boolean[] {
  const sums: Sums = { users: new Map(), tokens: new Map(), channels: new Map() }
  const results = operations.map((operation) => commitOne({ statements, sums, nowSeconds }, operation))
  for (const [userId, change] of sums.users) statements.addToUser(userId, change)
  for (const [tokenId, amount] of sums.tokens) statements.spendToken(tokenId, amount, nowSeconds)
  for (const [channelId, amount] of sums.channels) statements.addToChannel(channelId, amount)
  return results
}

interface Batch {
  readonly statements: LedgerStatements
  readonly sums: Sums
  readonly nowSeconds: number
}

function commitOne(batch: Batch, operation: Operation): boolean {
  const { statements, nowSeconds } = batch
  switch (operation.do) {
    case 'hold': {
      const { requestId, userId, tokenId, amount, modelName } = operation.request
      statements.insertHold(requestId, userId, tokenId, amount, modelName, nowSeconds)
      return true
    }
    case 'settle':
      return settle(batch, operation.hold, operation.settlement)
    case 'release':
      if (!statements.deleteHold(operation.hold.requestId)) return false
      if (operation.log !== null) statements.insertLog(operation.log)
      return true
    case 'post':
      return post(batch, operation.posting)
    case 'set-token':
      setToken(batch, operation)
      return true
    case 'log':
      statements.insertLog(operation.log)
      return true
  }
}

function settle({ statements, sums, nowSeconds }: Batch, hold: Held, { amount, channelId, log }: Settlement): boolean {
  if (!statements.deleteHold(hold.requestId)) return false
  if (amount > 0) {
    statements.insertEntry({
      kind: 'consume',
      ref: hold.requestId,
      userId: hold.userId,
      tokenId: hold.tokenId,
      channelId,
      account: 'sys:consume',
      amount: -amount,
      createdAt: nowSeconds,
    })
  }
  addToUser(sums, hold.userId, { balance: -amount, used: amount, requests: 1 })
  sums.tokens.set(hold.tokenId, (sums.tokens.get(hold.tokenId) ?? 0) + amount)
  if (amount > 0) sums.channels.set(channelId, (sums.channels.get(channelId) ?? 0) + amount)
  if (log !== null) statements.insertLog(log)
  return true
}

function post({ statements, sums, nowSeconds }: Batch, { userId, kind, ref, amount }: Posting): boolean {
  const entry: EntryRow = { kind, ref, userId, tokenId: 0, channelId: 0, account: `sys:${kind}`, amount, createdAt: nowSeconds }
  if (!statements.insertEntry(entry)) return false
  addToUser(sums, userId, { ...noChange, balance: amount })
  return true
}

/** What was spent before this point counts against the old limit, so it is written first. */
function setToken(
  { statements, sums, nowSeconds }: Batch,
  { tokenId, remain, isUnlimited }: Extract<Operation, { do: 'set-token' }>,
): void {
  const spent = sums.tokens.get(tokenId)
  if (spent !== undefined) statements.spendToken(tokenId, spent, nowSeconds)
  sums.tokens.delete(tokenId)
  statements.setToken(tokenId, remain, isUnlimited)
}

function addToUser(sums: Sums, userId: number, change: UserChange): void {
  const known = sums.users.get(userId) ?? noChange
  sums.users.set(userId, {
    balance: known.balance + change.balance,
    used: known.used + change.used,
    requests: known.requests + change.requests,
  })
}
