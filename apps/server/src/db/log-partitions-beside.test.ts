import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { insertLog } from '../ledger/log-queries.ts'
import type { PostgresStore } from './connect.ts'
import { connectPostgres } from './connect-postgres.ts'
import { listLogPartitions, makeLogPartitions } from './log-partitions.ts'

let database: TestDatabase
let store: PostgresStore
let sql: SQL
beforeEach(async () => {
  database = await createReadyDatabase('postgres')
  store = await connectPostgres(database.url, { report: (what, error) => console.error(what, error) })
  sql = new SQL(database.url, { max: 1 })
}, 60_000)
afterEach(async () => {
  await sql.close()
  await store.close()
  await database.drop()
}, 60_000)

/** The first day for which there is no partition. */
async function firstDay(): Promise<number> {
  const [before] = await listLogPartitions(store.db)
  if (before === undefined) throw new Error('the log is not split')
  return before.to
}

const row = (createdAt: number, content: string) => plainLog({ userId: 1, createdAt, type: 2, username: 'root', content, quota: 0 })

/** Until this many sessions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const [found] = await sql.unsafe(`SELECT count(DISTINCT pid)::int AS waiting FROM pg_locks
      JOIN pg_database ON pg_database.oid = database WHERE NOT granted AND datname = current_database()`)
    if (found.waiting >= count) return
  }
}

test('a row whose day is made while it is written is in that day', async () => {
  const { db } = store
  const first = await firstDay()
  const [written, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const earlier = db.transaction().execute(async (change) => {
    await insertLog(change, row(first, 'row of before'))
    written.resolve()
    await mayEnd.promise
  })
  await written.promise
  const making = makeLogPartitions(db, { now: first, keptDays: 90 })
  await untilWaiting(1)
  const beside = insertLog(db, row(first, 'row beside'))
  await untilWaiting(2)
  mayEnd.resolve()
  await Promise.all([earlier, beside, making])
  const rows = await sql.unsafe(`SELECT tableoid::regclass = 'logs_other'::regclass AS "isOther", content FROM logs
    WHERE content LIKE 'row%' ORDER BY content`)
  expect([...rows]).toEqual([
    { isOther: false, content: 'row beside' },
    { isOther: false, content: 'row of before' },
  ])
}, 60_000)
