import type { PostgresStore } from '../db/connect.ts'
import { isGivenUp } from '../db/owned-connection.ts'
import { isConnectionLost, isDamage } from '../db/postgres-errors.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type BatchRows, rowsOf } from './batch-rows.ts'
import { didSomething, type LeaseResult, type Operation } from './commit.ts'
import { closeLeases, readLeft, readRecalled } from './lease-queries.ts'
import type { LedgerStore, SharedStore } from './ledger-store.ts'
import { lockOf, recallOf, toLeaseResult } from './postgres-lease-queries.ts'
import { batchStatement, quotaText, toQuota } from './postgres-queries.ts'

/** The ledger on PostgreSQL: a batch is one statement, hence one transaction and one round trip. */
export function postgresLedgerStore({ db, line, node }: Pick<PostgresStore, 'db' | 'line' | 'node'>, reached: Reached): LedgerStore {
  const nodes = (): number => Math.max(1, node.live().length)

  function statementOf(operations: readonly Operation[], nowSeconds: number) {
    const rows = rowsOf(operations)
    return { rows, statement: batchStatement(rows, { nowSeconds, epoch: node.epoch, nodes: nodes() }) }
  }

  const shared: SharedStore = {
    epoch: node.epoch,
    nodes,
    decide: ({ of, id, nowSeconds }, operationFor) =>
      line.decide({ lock: lockOf(of, id), after: recallOf(of, id) }, ([row]) => {
        const operation = row === undefined ? null : operationFor(toQuota(row))
        return operation === null ? null : statementOf([operation], nowSeconds).statement
      }),
    recalled: () => readRecalled(db, node.epoch),
    readLeft: () => readLeft(db),
    closeLeases: () => closeLeases(db),
  }

  return {
    shared,
    trouble: () => (line.isUp() && node.isHeard() ? null : 'database_unavailable'),
    onLost: line.onLost,
    giveUp: line.giveUp,
    async commit({ operations, nowSeconds, apply }) {
      const { rows, statement } = statementOf(operations, nowSeconds)
      // The server writes and commits in one step; this process can only crash before or after it.
      reached('batch-written')
      await line.transact(statement, (response) => {
        reached('batch-committed')
        const { undone, leases } = readResponse(response)
        apply(resultsOf(operations, rows, undone), leases)
      })
    },
    isRefusal: (error) => !isConnectionLost(error) && !isGivenUp(error) && !isDamage(error),
    read: ({ userId, tokenId }, keep) => line.read(quotaText, [userId, tokenId], ([row]) => keep(toQuota(row))),
  }
}

/** Only a batch with asks of leases has a response in JSON. */
function readResponse(response: string): { readonly undone: string; readonly leases: readonly LeaseResult[] } {
  if (!response.startsWith('{')) return { undone: response, leases: [] }
  // Holds: `batchStatement` writes it.
  const { undone, leases } = JSON.parse(response) as { readonly undone: string; readonly leases: readonly (readonly unknown[])[] | null }
  return { undone, leases: (leases ?? []).map(toLeaseResult) }
}

/** @param undone indexes of operations without effect, as the statement returns them */
function resultsOf(operations: readonly Operation[], { operationRows }: BatchRows, undone: string): readonly boolean[] {
  const left = new Set((undone.match(/\d+/g) ?? []).map(Number))
  const done = new Set(operationRows.flatMap(({ place, operation }) => (left.has(place) ? [] : [operation])))
  return operations.map((operation) => didSomething(operation, { ended: done, entered: done }))
}
