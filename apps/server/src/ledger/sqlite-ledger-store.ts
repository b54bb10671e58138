import type { Database as SqliteFile } from 'bun:sqlite'
import type { SqliteStore } from '../db/connect.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type Changes, changesOf, didSomething, endingsOf, entriesOf, holdsOf, marksOf, type Operation } from './commit.ts'
import type { Batch, LedgerStore } from './ledger-store.ts'
import { type LedgerStatements, prepareLedger, readBalance, readTokenQuota } from './queries.ts'

/** The ledger on SQLite: every batch is written in one turn of the event loop, so nothing else can come between. */
export function sqliteLedgerStore(store: SqliteStore, reached: Reached): LedgerStore {
  let prepared: LedgerStatements | null = null
  const statementsOf = (file: SqliteFile): LedgerStatements => {
    prepared ??= prepareLedger(file)
    return prepared
  }

  return {
    // A file is always there; where it cannot be written, the batch fails.
    isUp: () => true,
    onLost: () => {},
    giveUp: () => {},
    async commit(batch) {
      await store.batch((file) => {
        commitBatch(statementsOf(file), batch)
        reached('batch-written')
      })
      reached('batch-committed')
    },
    read: ({ userId, tokenId }, keep) =>
      store.batch((file) => keep({ balance: readBalance(file, userId), limit: readTokenQuota(file, tokenId) })),
  }
}

function commitBatch(statements: LedgerStatements, { operations, nowSeconds, apply }: Batch): void {
  for (const request of holdsOf(operations)) statements.insertHold(request, nowSeconds)
  const ended = new Set<Operation>()
  for (const ending of endingsOf(operations)) if (statements.deleteHold(ending.hold.requestId)) ended.add(ending)
  for (const mark of marksOf(operations)) statements.markHold(mark)
  const entered = new Set<Operation>()
  for (const { operation, row } of entriesOf(operations, ended)) if (statements.insertEntry(row, nowSeconds)) entered.add(operation)
  const done = { ended, entered }
  writeChanges(statements, changesOf(operations, done), nowSeconds)
  apply(operations.map((operation) => didSomething(operation, done)))
}

function writeChanges(statements: LedgerStatements, changes: Changes, nowSeconds: number): void {
  for (const [userId, change] of changes.users) statements.addToUser(userId, change)
  for (const [tokenId, amount] of changes.spent) statements.spendToken(tokenId, amount, nowSeconds)
  for (const limit of changes.limits.values()) statements.setToken(limit)
  for (const [tokenId, amount] of changes.spentAfter) statements.spendToken(tokenId, amount, nowSeconds)
  for (const [channelId, amount] of changes.channels) statements.addToChannel(channelId, amount)
  for (const log of changes.logs) statements.insertLog(log)
}
