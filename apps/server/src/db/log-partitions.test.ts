import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { SQL } from 'bun'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { type TestApp, testApp } from '../../test/app.ts'
import { createReadyDatabase, createTestDatabase, type TestDatabase } from '../../test/stores.ts'
import { createLogRetention } from '../api/log/retention.ts'
import { createUsage } from '../api/log/usage.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { logColumns, logValues } from '../ledger/queries.ts'
import { systemClock } from '../lib/clock.ts'
import { daySeconds, dayStart } from '../lib/day.ts'
import { noFailpoints } from '../lib/failpoints.ts'
import type { Db } from './connect.ts'
import { dropLogPartitions, endOfWholePartitions, listLogPartitions, makeLogPartitions } from './log-partitions.ts'
import { abandonMigrations, migrate, migrations } from './migrate.ts'
import { logPartitions } from './migrations/088-log-partitions.ts'
import { postgresDialect } from './postgres-dialect.ts'
import type { Schema } from './schema.ts'

let database: TestDatabase
let app: TestApp
let other: SQL
let db: Db
beforeEach(async () => {
  database = await createReadyDatabase('postgres')
  app = await testApp({ env: { DATABASE_URL: database.url } })
  db = app.app.store.db
  other = new SQL(database.url, { max: 1 })
}, 60_000)
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await other.close()
  await app.close()
  await database.drop()
}, 60_000)

/** The day after those of the first partition. */
async function firstDay(): Promise<number> {
  const [before] = await listLogPartitions(db)
  if (before === undefined) throw new Error('the log is not split')
  return before.to
}

const write = (createdAt: number, content: string, type = 2): Promise<void> =>
  app.app.ledger.writeLog(plainLog({ userId: 1, createdAt, type, username: 'root', content, quota: 0 }))

/** Rows by the partition that has them. */
async function placesOf(): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows: ReadonlyArray<{ place: string; content: string }> = await other.unsafe(
    `SELECT tableoid::regclass::text AS place, content FROM logs WHERE user_id = 1 AND content LIKE 'row%' ORDER BY id`,
  )
  const places = Object.groupBy(rows, ({ place }) => place)
  return Object.fromEntries(Object.entries(places).map(([place, placeRows = []]) => [place, placeRows.map(({ content }) => content)]))
}

const nameOf = (day: number): string => `logs_${new Date(day * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`
const names = async (): Promise<readonly string[]> => (await listLogPartitions(db)).map(({ name }) => name)
const day = daySeconds

test('there are partitions for today and the next two days, and each day makes one more', async () => {
  const first = await firstDay()
  expect(first).toBeGreaterThanOrEqual(dayStart(Date.now() / 1000) + 3 * day)
  await makeLogPartitions(db, { now: first - 2 * day, keptDays: 90 })
  await makeLogPartitions(db, { now: first - 2 * day + 60, keptDays: 90 })
  expect(await names()).toEqual(['logs_before', nameOf(first)])
  await makeLogPartitions(db, { now: first, keptDays: 90 })
  expect(await listLogPartitions(db)).toEqual([
    { name: 'logs_before', from: null, to: first },
    ...[0, 1, 2].map((index) => ({ name: nameOf(first + index * day), from: first + index * day, to: first + (index + 1) * day })),
  ])
  for (const [index, at] of [first - 1, first, first + 2 * day - 1, first + 2 * day].entries()) await write(at, `row ${index}`)
  expect(await placesOf()).toEqual({
    logs_before: ['row 0'],
    [nameOf(first)]: ['row 1'],
    [nameOf(first + day)]: ['row 2'],
    [nameOf(first + 2 * day)]: ['row 3'],
  })
})

test('rows that are kept for long have longer partitions, so that there are at most 120', async () => {
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 240 })
  await makeLogPartitions(db, { now: first + 4 * day, keptDays: 0 })
  expect((await listLogPartitions(db)).map(({ to }) => (to - first) / day)).toEqual([0, 2, 4, 34])
})

test('a row of a day without a partition is stored, and moves when the partition is made', async () => {
  const first = await firstDay()
  await write(first + 5 * day, 'row of a later day')
  await write(first + 20 * day, 'row of a day far away')
  expect(await placesOf()).toEqual({ logs_other: ['row of a later day', 'row of a day far away'] })
  // Servers stood still for three days.
  await makeLogPartitions(db, { now: first + 3 * day, keptDays: 30 })
  expect(await placesOf()).toEqual({ [nameOf(first + 5 * day)]: ['row of a later day'], logs_other: ['row of a day far away'] })
  expect(await app.data(contract.log.list, { end_timestamp: first + 30 * day })).toHaveLength(2)
})

test('processes that make them at once make each once', async () => {
  const first = await firstDay()
  await Promise.all([1, 2, 3, 4].map(() => makeLogPartitions(db, { now: first + 10 * day, keptDays: 30 })))
  expect(await names()).toEqual(['logs_before', ...[10, 11, 12].map((index) => nameOf(first + index * day))])
})

/** Runs the retention as if the time were this one. */
async function retain(now: number, keptDays: number): Promise<void> {
  const clock = { ...systemClock, nowMs: () => now * 1000 }
  const logCopies = { copiedUpTo: async () => Number.MAX_SAFE_INTEGER }
  await createLogRetention({ db, clock, usage: createUsage(db, clock), logCopies, days: () => keptDays })()
}

test('days that are not kept are dropped whole, and their audit rows stay', async () => {
  const first = await firstDay()
  await makeLogPartitions(db, { now: first + 2 * day, keptDays: 2 })
  await makeLogPartitions(db, { now: first, keptDays: 2 })
  await other.unsafe('DELETE FROM logs')
  const days = [2, 3, 4].map((index) => first + index * day)
  for (const at of days) {
    await write(at, `row ${nameOf(at)}`)
    await write(at + day - 1, `row at the end of ${nameOf(at)}`)
    await write(at + 7, `row of a deed ${nameOf(at)}`, 3)
  }
  // In the middle of the second day: the first one is over, and the second stays whole.
  const now = first + 5.5 * day
  expect(await endOfWholePartitions(db, now - 2 * day, 2)).toBe(first + 3 * day)
  await retain(now, 2)
  // All that was there before is older.
  expect(await names()).toEqual(days.slice(1).map(nameOf))
  const [expiredDay = 0, ...kept] = days
  expect(await placesOf()).toEqual({
    logs_other: [`row of a deed ${nameOf(expiredDay)}`],
    ...Object.fromEntries(
      kept.map((at) => [nameOf(at), [`row ${nameOf(at)}`, `row at the end of ${nameOf(at)}`, `row of a deed ${nameOf(at)}`]]),
    ),
  })
  // The two requests of each day were added up before.
  const [added] = await other.unsafe(`SELECT sum(requests)::int AS requests FROM usage_sums WHERE scope = 'all'`)
  expect(added.requests).toBe(6)
})

const everything = async (): Promise<number> => Number.MAX_SAFE_INTEGER

test('dropping counts exactly, while rows are written all the time', async () => {
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 30 })
  await Promise.all(Array.from({ length: 200 }, (_, index) => write(first + index, `row ${index}`)))
  let isOver = false
  let written = 0
  const writing = (async () => {
    for (; !isOver; written += 1) await write(first + day + 1, `row later ${written}`)
  })()
  const counts = await Promise.all([1, 2].map(() => dropLogPartitions(db, { until: first + day, keptType: 3, upTo: everything })))
  isOver = true
  await writing
  expect(counts.reduce((sum, count) => sum + count)).toBe(200)
  expect((await placesOf())[nameOf(first + day)]).toHaveLength(written)
})

test('a day with rows that are not added up or copied yet stays', async () => {
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 30 })
  await write(first, 'row')
  expect(await dropLogPartitions(db, { until: first + day, keptType: 3, upTo: async () => 0 })).toBe(0)
  expect(await placesOf()).toEqual({ [nameOf(first)]: ['row'] })
})

test('while somebody reads the log for long, commits go on, and the day is dropped afterwards', async () => {
  const first = await firstDay()
  await makeLogPartitions(db, { now: first, keptDays: 30 })
  await write(first, 'row')
  const reader = await other.reserve()
  await reader.unsafe('BEGIN')
  await reader.unsafe('SELECT count(*) FROM logs')
  const dropping = dropLogPartitions(db, { until: first + day, keptType: null, upTo: everything })
  for (let index = 0; index < 20; index += 1) await write(first + day, `row beside ${index}`)
  await reader.unsafe('COMMIT')
  reader.release()
  expect(await dropping).toBe(1)
  expect(await placesOf()).toEqual({ [nameOf(first + day)]: Array.from({ length: 20 }, (_, index) => `row beside ${index}`) })
}, 30_000)

/** A store of the version before the log was split, with rows of 40 days. */
async function earlierStore() {
  const old = await createTestDatabase('postgres')
  const pool = new SQL(old.url, { max: 1, bigint: true })
  const store = new Kysely<Schema>({ dialect: postgresDialect(pool, 0) }) as never
  const some = Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= '087-channel-tags'))
  const { error } = await new Migrator({ db: store, provider: { getMigrations: async () => some } }).migrateToLatest()
  expect(error).toBeUndefined()
  const now = Math.floor(Date.now() / 1000)
  const times = Array.from({ length: 40 }, (_, index) => now - (39 - index) * day)
  const insertLog = `INSERT INTO logs (${logColumns}) VALUES (${logColumns
    .split(',')
    .map((_, index) => `$${index + 1}`)
    .join(', ')})`
  const insert = async (createdAt: number): Promise<void> => {
    const values = logValues(plainLog({ userId: 1, createdAt, type: 2, username: 'root', content: `row ${createdAt}`, quota: 0 }))
    await pool.unsafe(insertLog, [...values])
  }
  for (const at of times) await insert(at)
  const close = async (): Promise<void> => {
    await pool.close()
    await old.drop()
  }
  return { pool, store, now, times, insert, close, migrateAll: () => migrate(store, { reached: noFailpoints }) }
}

test('the log of an earlier version keeps its rows, indexes, ids and rights, and that version goes on writing', async () => {
  const { pool, now, times, insert, close, migrateAll } = await earlierStore()
  const role = `analyst_${crypto.randomUUID().slice(0, 8)}`
  await pool.unsafe(`CREATE ROLE ${role}; GRANT SELECT ON logs TO ${role}; GRANT SELECT ON logs TO PUBLIC`)
  const indexed = async (): Promise<readonly string[]> =>
    (
      await pool.unsafe(`SELECT indexname FROM pg_indexes JOIN pg_class ON relname = indexname JOIN pg_index ON indexrelid = pg_class.oid
        WHERE tablename = 'logs' AND indisvalid ORDER BY 1`)
    ).map(({ indexname }: { indexname: string }) => indexname)
  const before = await indexed()
  await migrateAll()
  expect(await indexed()).toEqual([...before, 'logs_brin'].sort())
  await insert(now)
  await insert(now + 30 * day)
  const rows = await pool.unsafe('SELECT id, created_at, tableoid::regclass::text AS place FROM logs ORDER BY id')
  expect(rows.map((row: { id: string; created_at: string; place: string }) => [Number(row.id), Number(row.created_at), row.place])).toEqual(
    [...[...times, now].map((at, index) => [index + 1, at, 'logs_before']), [42, now + 30 * day, 'logs_other']],
  )
  const [rights] = await pool.unsafe(
    `SELECT has_table_privilege('${role}', 'logs', 'SELECT') AS reads, has_table_privilege('${role}', 'logs', 'DELETE') AS deletes`,
  )
  expect(rights).toEqual({ reads: true, deletes: false })
  await close()
}, 60_000)

test('the log is read and its indexes are built before it is split, while the version before writes', async () => {
  const { pool, store, now, insert, close, migrateAll } = await earlierStore()
  const logNode = async () =>
    (
      await pool.unsafe(`SELECT pg_stat_force_next_flush(), pg_stat_get_numscans(oid)::int AS scans,
        (SELECT string_agg(relname || pg_relation_filenode(pg_class.oid), ' ' ORDER BY relname) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
          WHERE indrelid = logs.oid AND relname <> 'logs_pkey' AND relname LIKE 'logs_before_%') AS built
        FROM pg_class AS logs WHERE relname = coalesce(to_regclass('logs_before')::text, 'logs')`)
    )[0]
  await logPartitions.prepare(store)
  await insert(now)
  await logNode()
  const prepared = await logNode()
  expect(prepared.built).toMatch(/^logs_before_brin\d+ logs_before_pkey\d+$/)
  await migrateAll()
  await logNode()
  const split = await logNode()
  expect(split.scans).toBe(prepared.scans)
  expect(split.built.split(' ')).toEqual(expect.arrayContaining(prepared.built.split(' ')))
  const constraints = await pool.unsafe(`SELECT conname FROM pg_constraint WHERE conrelid = 'logs_before'::regclass AND contype = 'c'`)
  expect([...constraints]).toEqual([])
  await close()
}, 60_000)

test('a split that was prepared by a process that was killed is prepared again', async () => {
  const { pool, store, now, insert, close, migrateAll } = await earlierStore()
  await logPartitions.prepare(store)
  // It was killed days ago, while it built an index.
  await pool.unsafe(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'logs_before_brin'::regclass`)
  await pool.unsafe(`ALTER TABLE logs DROP CONSTRAINT logs_until_split;
    ALTER TABLE logs ADD CONSTRAINT logs_until_split CHECK (created_at IS NOT NULL AND created_at < ${dayStart(now) + 2 * day}) NOT VALID`)
  await migrateAll()
  await insert(now + 3 * day)
  const rows = await pool.unsafe(`SELECT tableoid::regclass::text AS place FROM logs WHERE created_at > ${now}`)
  expect([...rows]).toEqual([{ place: 'logs_before' }])
  expect((await pool.unsafe(`SELECT 1 FROM pg_index WHERE indrelid = 'logs_before'::regclass AND NOT indisvalid`)).length).toBe(0)
  await close()
}, 60_000)

test('a split that cannot be made leaves nothing that refuses rows of the version before', async () => {
  const { store, now, insert, close } = await earlierStore()
  await logPartitions.prepare(store)
  await expect(insert(now + 100 * day)).rejects.toThrow('logs_until_split')
  await abandonMigrations(store)
  await insert(now + 100 * day)
  await close()
}, 60_000)
