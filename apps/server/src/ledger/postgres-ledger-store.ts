import type { LedgerConnection } from '../db/ledger-connection.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type BatchRows, rowsOf } from './batch-rows.ts'
import { didSomething, type Operation } from './commit.ts'
import type { LedgerStore } from './ledger-store.ts'
import { batchStatement, quotaText, toQuota } from './postgres-queries.ts'

/** The ledger on PostgreSQL: a batch is one statement, hence one transaction and one round trip. */
export function postgresLedgerStore(line: LedgerConnection, reached: Reached): LedgerStore {
  return {
    trouble: () => (line.isUp() ? null : 'database_unavailable'),
    onLost: line.onLost,
    giveUp: line.giveUp,
    async commit({ operations, nowSeconds, apply }) {
      const rows = rowsOf(operations)
      // The server writes and commits in one step; this process can only crash before or after it.
      reached('batch-written')
      await line.transact(batchStatement(rows, nowSeconds), (undone) => {
        reached('batch-committed')
        apply(resultsOf(operations, rows, undone))
      })
    },
    read: ({ userId, tokenId }, keep) => line.read(quotaText, [userId, tokenId], ([row]) => keep(toQuota(row))),
  }
}

/** @param undone indexes of operations without effect, as the statement returns them */
function resultsOf(operations: readonly Operation[], { asked }: BatchRows, undone: string): readonly boolean[] {
  const left = new Set((undone.match(/\d+/g) ?? []).map(Number))
  const done = new Set(asked.flatMap(({ place, operation }) => (left.has(place) ? [] : [operation])))
  return operations.map((operation) => didSomething(operation, { ended: done, entered: done }))
}
