import type { MoneyLine, Run } from '../db/money-line.ts'
import type { Reached } from '../lib/failpoints.ts'
import { type Changes, changesOf, type Done, didSomething, endingsOf, entriesOf, holdsOf, marksOf, type Operation } from './commit.ts'
import type { Batch, LedgerStore } from './ledger-store.ts'
import {
  addToChannels,
  addToUsers,
  deleteHolds,
  insertEntries,
  insertHolds,
  insertLogs,
  markHolds,
  nameOfEntry,
  readQuota,
  setTokens,
  spendTokens,
} from './postgres-queries.ts'

/** The ledger on PostgreSQL: a batch is one transaction of a few statements, and waits only where a step needs the answer of the last. */
export function postgresLedgerStore(line: MoneyLine, reached: Reached): LedgerStore {
  return {
    trouble: () => (line.isUp() ? null : 'database_unavailable'),
    onLost: line.onLost,
    giveUp: line.giveUp,
    commit(batch) {
      const write = async (run: Run): Promise<readonly boolean[]> => {
        const results = await writeBatch(run, batch)
        reached('batch-written')
        return results
      }
      return line.transact(write, (results) => {
        reached('batch-committed')
        batch.apply(results)
      })
    },
    read: (ids, keep) => line.read((run) => readQuota(run, ids), keep),
  }
}

async function writeBatch(run: Run, { operations, nowSeconds }: Batch): Promise<readonly boolean[]> {
  const holds = holdsOf(operations)
  if (holds.length > 0) send(insertHolds(run, holds, nowSeconds))
  const ended = await end(run, operations)
  const marks = marksOf(operations)
  if (marks.length > 0) send(markHolds(run, marks))
  const entered = await enter(run, { operations, ended, nowSeconds })
  const done: Done = { ended, entered }
  writeChanges(run, changesOf(operations, done), nowSeconds)
  return operations.map((operation) => didSomething(operation, done))
}

/** The commit waits for what was sent, and fails where it did. */
function send(sent: Promise<void>): void {
  sent.catch(() => {})
}

async function end(run: Run, operations: readonly Operation[]): Promise<ReadonlySet<Operation>> {
  const endings = endingsOf(operations)
  if (endings.length === 0) return new Set()
  const open = await deleteHolds(
    run,
    endings.map(({ hold }) => hold.requestId),
  )
  // Taken out as it is found, so that a second ending of the same reservation finds nothing.
  return new Set(endings.filter(({ hold }) => open.delete(hold.requestId)))
}

async function enter(
  run: Run,
  { operations, ended, nowSeconds }: { operations: readonly Operation[]; ended: ReadonlySet<Operation>; nowSeconds: number },
): Promise<ReadonlySet<Operation>> {
  const entries = entriesOf(operations, ended)
  if (entries.length === 0) return new Set()
  const made = await insertEntries(
    run,
    entries.map(({ row }) => row),
    nowSeconds,
  )
  return new Set(entries.filter(({ row }) => made.delete(nameOfEntry(row))).map(({ operation }) => operation))
}

function writeChanges(run: Run, { users, spent, limits, spentAfter, channels, logs }: Changes, nowSeconds: number): void {
  if (users.size > 0) send(addToUsers(run, users))
  if (spent.size > 0) send(spendTokens(run, spent, nowSeconds))
  if (limits.size > 0) send(setTokens(run, [...limits.values()]))
  if (spentAfter.size > 0) send(spendTokens(run, spentAfter, nowSeconds))
  if (channels.size > 0) send(addToChannels(run, channels))
  if (logs.length > 0) send(insertLogs(run, logs))
}
