import type { Database as SqliteFile } from 'bun:sqlite'
import type { SqliteStore } from '../db/connect.ts'
import { isBusy, pauseWhileBusy } from '../db/foreign-lock.ts'
import { isSqliteDamage } from '../db/sqlite-errors.ts'
import type { Reached } from '../lib/failpoints.ts'
import { isStorageFull } from '../lib/storage-full.ts'
import {
  asidesOf,
  type Changes,
  changesOf,
  consumeAccount,
  didSomething,
  type Ending,
  endingsOf,
  entriesOf,
  holdsOf,
  marksOf,
  type Operation,
  taskEndOf,
} from './commit.ts'
import type { Batch, LedgerStore } from './ledger-store.ts'
import { type LedgerStatements, prepareLedger, readBalance, readTokenQuota } from './queries.ts'
import type { SetAside } from './set-aside-row.ts'

/** Interval at which a full disk is checked. */
const lookAgainMs = 1_000

/** The ledger on SQLite: a batch is written in one turn of the event loop, so nothing can run in between. */
export function sqliteLedgerStore(store: SqliteStore, reached: Reached): LedgerStore {
  const { reserve } = store
  let prepared: LedgerStatements | null = null
  let isFull = false
  let isWaiting = true
  let lost = (): void => {}
  const statementsOf = (file: SqliteFile): LedgerStatements => {
    prepared ??= prepareLedger(file)
    return prepared
  }

  function write(batch: Batch): Promise<void> {
    const work = (file: SqliteFile): readonly boolean[] => {
      const results = commitBatch(statementsOf(file), batch)
      reached('batch-written')
      return results
    }
    return store.batch(work, (results) => {
      reached('batch-committed')
      batch.apply(results, [])
    })
  }

  /** Frees the disk reserve once; if the disk is still full, only an operator can free space. */
  async function makeRoom(): Promise<void> {
    if (isFull) return await pause()
    isFull = true
    lost()
    reserve?.spend()
    void recover()
  }

  /** Another process holds the write lock, which passes. Waiting reservations are refused once it is held for long. */
  async function waitForLock(tries: number): Promise<void> {
    if (store.isStuck()) lost()
    await pauseWhileBusy(tries)
  }

  /** New reservations are made only after all waiting operations were written and the disk reserve is restored. */
  async function recover(): Promise<void> {
    await pause()
    while (isWaiting && reserve !== null && !(await reserve.restore())) await pause()
    isFull = false
  }

  async function start(): Promise<void> {
    if (reserve === null || (await reserve.restore())) return
    isFull = true
    await recover()
  }

  void start()
  return {
    shared: null,
    trouble: () => (isFull ? 'storage_full' : store.isStuck() ? 'database_unavailable' : null),
    onLost(react) {
      lost = react
    },
    giveUp() {
      isWaiting = false
    },
    async commit(batch) {
      for (let tries = 0; ; tries++) {
        try {
          return await write(batch)
        } catch (error) {
          if (!isWaiting || !(isStorageFull(error) || isBusy(error))) throw error
          await (isBusy(error) ? waitForLock(tries) : makeRoom())
        }
      }
    },
    async read({ userId, tokenId }, keep) {
      const work = (file: SqliteFile) => ({ balance: readBalance(file, userId), limit: readTokenQuota(file, tokenId) })
      for (let tries = 0; ; tries++) {
        try {
          return await store.read(work, keep)
        } catch (error) {
          if (!isWaiting || !isBusy(error)) throw error
          await waitForLock(tries)
        }
      }
    },
    isRefusal: (error) => !isStorageFull(error) && !isBusy(error) && !isSqliteDamage(error),
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, lookAgainMs).unref())
}

function commitBatch(statements: LedgerStatements, { operations, nowSeconds }: Batch): readonly boolean[] {
  // A batch without operations shows whether the store can be written at all.
  if (operations.length === 0) statements.addToAccount(consumeAccount, 0)
  const endings = endingsOf(operations)
  const isEnding = new Set(endings.map(({ hold }) => hold.requestId))
  /** Reservations that begin and end in this batch: they are never stored. */
  const passing = new Set<string>()
  for (const request of holdsOf(operations)) {
    if (request.task === undefined && isEnding.has(request.requestId)) passing.add(request.requestId)
    else statements.insertHold(request, nowSeconds)
  }
  const ended = new Set<Ending>()
  for (const ending of endings) {
    const { requestId } = ending.hold
    // Of two endings of one reservation only the first takes effect.
    if (passing.delete(requestId) || statements.deleteHold(requestId)) ended.add(ending)
  }
  writeEnds(statements, { ended, asides: asidesOf(operations) }, nowSeconds)
  for (const mark of marksOf(operations)) statements.markHold(mark)
  const entered = new Set<Operation>()
  for (const { operation, row } of entriesOf(operations, ended)) if (statements.insertEntry(row, nowSeconds)) entered.add(operation)
  const done = { ended, entered }
  writeChanges(statements, changesOf(operations, done), nowSeconds)
  return operations.map((operation) => didSomething(operation, done))
}

interface Ends {
  readonly ended: ReadonlySet<Ending>
  readonly asides: readonly SetAside[]
}

/** What ends with reservations: tasks, and what was set aside. */
function writeEnds(statements: LedgerStatements, { ended, asides }: Ends, nowSeconds: number): void {
  for (const ending of ended) {
    const task = taskEndOf(ending)
    if (task !== null) statements.endTask(task, nowSeconds)
    if (ending.resolves !== undefined) statements.resolveSetAside(ending.resolves, nowSeconds)
  }
  for (const aside of asides) statements.setAside(aside, nowSeconds)
}

function writeChanges(statements: LedgerStatements, changes: Changes, nowSeconds: number): void {
  for (const [userId, change] of changes.users) statements.addToUser(userId, change)
  for (const [tokenId, amount] of changes.spent) statements.spendToken(tokenId, amount, nowSeconds)
  for (const limit of changes.limits.values()) statements.setToken(limit)
  for (const [tokenId, amount] of changes.spentAfter) statements.spendToken(tokenId, amount, nowSeconds)
  for (const [channelId, amount] of changes.channels) statements.addToChannel(channelId, amount)
  for (const [name, amount] of changes.accounts) statements.addToAccount(name, amount)
  for (const log of changes.logs) statements.insertLog(log)
}
