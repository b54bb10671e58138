import { afterAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import type { Db } from '../src/db/connect.ts'
import { connectStore } from '../src/db/connect-store.ts'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { createServerPlace } from './server-place.ts'
import { startServer, until } from './server-process.ts'

// The server process is killed while it aggregates the log by the hour, and while it deletes old rows of the log.

const { place, accessToken, variables, remove } = await createServerPlace('usage')
afterAll(remove)

const rows = 20_000
const quotaOf = (row: number): number => 1 + (row % 13)
const allQuota = Array.from({ length: rows }, (_, row) => quotaOf(row)).reduce((sum, quota) => sum + quota, 0)

async function fillLog(): Promise<void> {
  const store = await connectStore(place, { report: console.error })
  for (let start = 0; start < rows; start += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => logRow(start + index))
    await store.db.insertInto('logs').values(batch).execute()
  }
  await store.close()
}

function logRow(row: number) {
  return {
    user_id: 1 + (row % 5),
    created_at: 1_000_000 + row * 7,
    type: 2,
    username: `user${row % 5}`,
    token_name: 'default',
    model_name: `m${row % 3}`,
    quota: quotaOf(row),
    prompt_tokens: row % 100,
    completion_tokens: 1,
    channel_id: row % 2,
    ...{ content: '', upstream_model: '', cached_tokens: 0, request_id: `old-${row}`, elapsed_ms: 1, first_byte_ms: 1 },
    ...{ is_stream: 0, attempts: 1, end_reason: 'complete', estimated: 0, usage_suspect: 0, detail: '' },
  }
}

async function readStore<Value>(read: (db: Db) => Promise<Value>): Promise<Value> {
  const { db, close } = openForReading(place)
  const value = await read(db)
  await close()
  return value
}

const mark = (db: Db): Promise<number> =>
  db
    .selectFrom('log_marks')
    .select('value')
    .where('name', '=', 'rolled-up')
    .executeTakeFirst()
    .then((row) => row?.value ?? 0)
const logRows = (db: Db): Promise<number> =>
  db
    .selectFrom('logs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('type', '=', 2)
    .executeTakeFirstOrThrow()
    .then(({ count }) => Number(count))

const hourRule = (db: Db): Promise<readonly string[]> =>
  verify(db, { withLogs: false }).then(({ checks }) => checks.find(({ rule }) => rule.startsWith('every hour'))?.broken ?? ['no such rule'])

/** Starts the server, makes a call, and kills the server as soon as the database satisfies the condition. */
async function killedOnce(call: (url: string) => Promise<unknown>, isReached: (db: Db) => Promise<boolean>): Promise<void> {
  const server = await startServer(variables)
  const { db, close } = openForReading(place)
  const response = call(server.url).catch(() => {})
  await until(() => isReached(db))
  server.signal('SIGKILL')
  await Promise.all([server.exited, response])
  await close()
}

const headers = { authorization: accessToken }
const stat = async (url: string) => {
  const response = await fetch(`${url}${contract.log.stat.path}`, { headers })
  // Holds: the call returns its totals.
  return ((await response.json()) as { data: { quota: number } }).data
}
const clean = (url: string) =>
  fetch(`${url}${contract.log.remove.path}?target_timestamp=${1_000_000 + rows * 7}`, { method: 'DELETE', headers })

test('a log that is added up across kills counts each of its rows once', async () => {
  await fillLog()
  for (const reached of [1, 6_000, 13_000]) {
    await killedOnce(stat, async (db) => (await mark(db)) >= reached)
    expect(await readStore(hourRule)).toEqual([])
  }
  const server = await startServer(variables)
  expect(await stat(server.url)).toMatchObject({ quota: allQuota })
  server.signal('SIGTERM')
  await server.exited
  expect(await readStore(mark)).toBe(rows)
  expect(await readStore(hourRule)).toEqual([])
}, 120_000)

test('an interrupted clean-up is finished by the next one, and the sums by the hour remain', async () => {
  await killedOnce(clean, async (db) => (await logRows(db)) < 15_000)
  const left = await readStore(logRows)
  expect(left).toBeLessThan(15_000)
  const server = await startServer(variables)
  const response = await clean(server.url)
  expect(await response.json()).toMatchObject({ success: true, data: left })
  server.signal('SIGTERM')
  await server.exited
  const kept = await readStore((db) =>
    db
      .selectFrom('usage_hours')
      .select(({ fn }) => fn.sum<number>('quota').as('quota'))
      .executeTakeFirstOrThrow(),
  )
  expect(Number(kept.quota)).toBe(allQuota)
}, 120_000)
