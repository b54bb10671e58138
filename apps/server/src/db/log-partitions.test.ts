import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { SQL } from 'bun'
import { type TestApp, testApp } from '../../test/app.ts'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import { createLogRetention } from '../api/log/retention.ts'
import { createUsage } from '../api/log/usage.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { systemClock } from '../lib/clock.ts'
import type { Db } from './connect.ts'
import { daySeconds, dayStart } from './day.ts'
import { dropLogPartitions, endOfWholePartitions, listLogPartitions, makeLogPartitions } from './log-partitions.ts'

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
  expect(await app.unsound()).toEqual([])
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
  return Object.fromEntries(Object.entries(places).map(([place, found = []]) => [place, found.map(({ content }) => content)]))
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
  expect(await endOfWholePartitions(db, now - 2 * day)).toBe(first + 3 * day)
  await retain(now, 2)
  // All that was there before is older.
  expect(await names()).toEqual(days.slice(1).map(nameOf))
  const [gone = 0, ...kept] = days
  expect(await placesOf()).toEqual({
    logs_other: [`row of a deed ${nameOf(gone)}`],
    ...Object.fromEntries(
      kept.map((at) => [nameOf(at), [`row ${nameOf(at)}`, `row at the end of ${nameOf(at)}`, `row of a deed ${nameOf(at)}`]]),
    ),
  })
  const points = await app.data(contract.log.series, { bucket: 'day', start_timestamp: first, end_timestamp: first + 10 * day })
  expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBe(6)
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
