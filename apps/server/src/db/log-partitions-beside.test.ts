import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import { cleanLog } from '../api/log/clean.ts'
import { createLogRetention } from '../api/log/retention.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { insertLog } from '../ledger/log-queries.ts'
import { logColumns } from '../ledger/queries.ts'
import { daySeconds } from '../lib/day.ts'
import type { PostgresStore } from './connect.ts'
import { connectPostgres } from './connect-postgres.ts'
import { dropLogPartitions, listLogPartitions, makeLogPartitions } from './log-partitions.ts'

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

const row = (createdAt: number, content: string, type = 2) => plainLog({ userId: 1, createdAt, type, username: 'root', content, quota: 0 })

/** Makes all rows count as added up. @returns that all are copied */
async function addedUp(): Promise<() => Promise<number>> {
  await store.db.insertInto('log_marks').values({ name: 'rolled-up', value: Number.MAX_SAFE_INTEGER }).execute()
  return async () => Number.MAX_SAFE_INTEGER
}

async function contents(): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('logs').select('content').where('content', 'like', 'row%').orderBy('content').execute()
  return rows.map(({ content }) => content)
}

/** Until this many sessions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const [row] = await sql.unsafe(`SELECT count(DISTINCT pid)::int AS waiting FROM pg_locks
      JOIN pg_database ON pg_database.oid = database WHERE NOT granted AND datname = current_database()`)
    if (row.waiting >= count) return
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

test('rows of a long partition go in time when rows are kept for shorter than it was made for', async () => {
  const { db } = store
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 0 })
  const now = first + 25 * daySeconds
  await insertLog(db, row(first, 'row of 25 days'))
  await insertLog(db, row(now - 7 * daySeconds - 1, 'row of more than 7 days'))
  await insertLog(db, row(now - 7 * daySeconds, 'row of 7 days'))
  const copiedUpTo = await addedUp()
  const clock = { nowMs: () => now * 1000, monotonicMs: () => 0 }
  await createLogRetention({ db, clock, usage: { catchUp: async () => {} }, logCopies: { copiedUpTo }, days: () => 7 })()
  expect(await contents()).toEqual(['row of 7 days'])
})

test('rows are counted over all hours of a partition', async () => {
  const { db } = store
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 0 })
  const times = [0, 3_599, 3_600, 3_601, 90_000, 93_599, 93_600, 30 * daySeconds - 1]
  for (const time of times) await insertLog(db, row(first + time, `row at ${time}`))
  await insertLog(db, row(first + 3_600, 'row of a deed', 3))
  await insertLog(db, row(-1, 'row of 1969'))
  const [already] = await sql.unsafe('SELECT count(*)::int AS rows FROM logs_before WHERE type <> 3')
  const upTo = await addedUp()
  expect(await dropLogPartitions(db, { until: first + 30 * daySeconds, keptType: 3, upTo })).toBe(already.rows + times.length)
  expect(await contents()).toEqual(['row of a deed'])
})

test('a partition with many rows that stay is not dropped, so that nobody waits while they move', async () => {
  const { db } = store
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 90 })
  await insertLog(db, row(first, 'row'))
  const others = logColumns.split(', ').filter((column) => !['type', 'content'].includes(column))
  await sql.unsafe(`INSERT INTO logs (type, content, ${others}) SELECT 3, 'deed', ${others} FROM logs, generate_series(1, 5001)
    WHERE content = 'row'`)
  const copiedUpTo = await addedUp()
  expect(await cleanLog(db, { until: first + daySeconds, withAudit: false, copiedUpTo })).toBe(1)
  const stay = await sql.unsafe(`SELECT DISTINCT tableoid::regclass::text AS place FROM logs WHERE content = 'deed'`)
  expect([...stay]).toEqual([{ place: (await listLogPartitions(db)).find(({ from }) => from === first)?.name }])
  expect(await contents()).toEqual([])
})

test('deleting some rows of a day does not wait for whoever uses another day', async () => {
  const { db } = store
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 90 })
  await insertLog(db, row(first, 'row that goes'))
  await insertLog(db, row(first + daySeconds, 'row of the next day'))
  const copiedUpTo = await addedUp()
  const next = (await listLogPartitions(db)).find(({ from }) => from === first + daySeconds)?.name
  const count = await sql.begin(async (holding) => {
    await holding.unsafe(`LOCK TABLE ${next} IN SHARE MODE`)
    return await cleanLog(db, { until: first + 10, withAudit: false, copiedUpTo })
  })
  expect(count).toBe(1)
  expect(await contents()).toEqual(['row of the next day'])
}, 60_000)
