import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setClock } from '../../../test/channel-scene.ts'
import { type FakeClickHouse, type StoredRow, startClickHouse } from '../../../test/click-house.ts'
import { readEnv } from '../../env.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { openClickHouse } from '../../outside/clickhouse-queries.ts'
import { openOperatorCalls } from '../../outside/operator-calls.ts'
import { createLogCopies, type LogCopies } from './log-copies.ts'

let app: TestApp
let clickHouse: FakeClickHouse
let client: ClickHouseClient
const clock = setClock()
/** The job of the server. */
let copyLog: () => Promise<unknown>
beforeEach(async () => {
  clickHouse = await startClickHouse()
  client = createClient({ url: clickHouse.url })
  app = await testApp({
    clock,
    env: { CLICKHOUSE_URL: clickHouse.url },
    schedule: (jobs) => {
      copyLog = () => jobs.find(({ name }) => name === 'copy-log')?.run() ?? Promise.reject(new Error('there is no such job'))
      return () => {}
    },
  })
})
afterEach(async () => {
  await client.close()
  await app.close()
  await clickHouse.close()
})

let written = 0
async function write(count: number): Promise<void> {
  const row = { userId: app.root.id, username: 'root', createdAt: clock.nowMs() / 1000, type: 2, content: '“é" \u{1f600}' }
  for (let index = 0; index < count; index += 1) await app.app.ledger.writeLog(plainLog({ ...row, requestId: `req_${written++}` }))
}

/** The rows as ClickHouse's own client reads them, and those of the log. */
async function both(isFinal = false): Promise<readonly [copies: readonly StoredRow[], log: readonly StoredRow[]]> {
  const response = await client.query({ query: `SELECT * FROM sluice_logs${isFinal ? ' FINAL' : ''}`, format: 'JSONEachRow' })
  return [await response.json<StoredRow>(), await app.app.store.db.selectFrom('logs').selectAll().orderBy('id').execute()]
}

const calls = openOperatorCalls(readEnv({}), clock)
afterAll(calls.close)

/** What another process does that takes over: nothing of it is in memory. */
const takeOver = (rowsMax = 100): LogCopies =>
  createLogCopies({ ...app.app.store, clock, report: () => {}, sink: openClickHouse(clickHouse.url, calls.send), rowsMax })

test('the log is copied from its first row on, in batches, and each row has every column', async () => {
  await write(3)
  await copyLog()
  await write(2)
  await copyLog()
  await copyLog()
  const [copies, log] = await both()
  expect(copies.length).toBeGreaterThanOrEqual(5)
  expect(copies).toEqual(log)
  expect(clickHouse.inserts).toHaveLength(2)
  expect(Object.keys(clickHouse.columns()).sort()).toEqual(Object.keys(log[0] ?? {}).sort())
})

test('inserts are those of ClickHouse’s own client, stored before they are acknowledged', async () => {
  await write(2)
  await copyLog()
  const [copies] = await both()
  await client.insert({ table: 'sluice_logs', values: copies, format: 'JSONEachRow' })
  const [ours, theirs] = clickHouse.inserts
  expect(theirs?.statement).toBe(ours?.statement ?? '')
  expect(theirs?.lines.trimEnd()).toBe(ours?.lines ?? '')
  expect(theirs?.settings['database']).toBe(ours?.settings['database'] ?? '')
  expect(ours?.settings).toMatchObject({ async_insert: '0', wait_end_of_query: '1' })
})

test('rows whose response was lost are sent again as they were, and are there once', async () => {
  await write(3)
  clickHouse.fail({ do: 'lose the answer' })
  await copyLog()
  // What is new does not join what is sent again.
  await write(2)
  clock.advance(1_000)
  await copyLog()
  const [copies, log] = await both()
  expect(copies).toEqual(log)
  expect(clickHouse.inserts[1]).toEqual(clickHouse.inserts[0])
})

test('another process goes on where one ended, also in the middle of a batch', async () => {
  await write(3)
  clickHouse.fail({ do: 'lose the answer' })
  await takeOver().copy()
  await write(2)
  await Promise.all([takeOver().copy(), takeOver().copy()])
  const [copies, log] = await both()
  expect(copies).toEqual(log)
})

test('a process with smaller batches leaves nothing out of one that it sends again', async () => {
  await write(5)
  clickHouse.fail({ do: 'refuse', status: 500 })
  await takeOver().copy()
  await takeOver(2).copy()
  const [copies, log] = await both()
  expect(copies).toEqual(log)
  expect(clickHouse.inserts.length).toBeGreaterThanOrEqual(4)
})

test('while ClickHouse refuses, the log is not deleted, the pauses grow, and everything is copied afterwards', async () => {
  await write(3)
  const refused = { do: 'refuse', status: 500 } as const
  clickHouse.fail(refused, refused)
  for (const afterMs of [0, 999, 1, 1_999]) {
    clock.advance(afterMs)
    await copyLog()
  }
  expect(clickHouse.inserts).toHaveLength(2)
  clock.advance(1)
  expect(await app.data(contract.log.remove, { target_timestamp: clock.nowMs() / 1000 + 1 })).toBe(0)
  await copyLog()
  const [copies, log] = await both()
  expect(copies.slice(0, 3)).toEqual(log.slice(0, 3))
  clock.advance(2_000)
  expect(await app.data(contract.log.remove, { target_timestamp: clock.nowMs() / 1000 })).toBeGreaterThanOrEqual(3)
  // Their ids may be used again, by SQLite.
  await write(3)
  await copyLog()
  const names = new Set((await both(true))[0].map((row) => row['request_id']))
  for (let back = 1; back <= 6; back += 1) expect(names).toContain(`req_${written - back}`)
})

test('rows that are stored twice in spite of everything are one for whoever asks for the final ones', async () => {
  await write(2)
  await copyLog()
  await client.insert({ table: 'sluice_logs', values: (await both())[0].slice(0, 1), format: 'JSONEachRow' })
  const [copies, log] = await both(true)
  expect(copies).toEqual(log)
})
