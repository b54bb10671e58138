import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runServer, startServer } from '../../test/server-process.ts'
import { createTestDatabase } from '../../test/stores.ts'
import type { Db } from './connect.ts'
import { connectStore } from './connect-store.ts'

// Runs the command as operators do, as a separate process.

const folder = mkdtempSync(join(tmpdir(), 'sluice-migrate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const quiet = { report: () => {} }
const accessToken = 'migrate'.padEnd(40, 'x')
const settings = {
  INITIAL_ROOT_PASSWORD: 'a root password',
  INITIAL_ROOT_ACCESS_TOKEN: accessToken,
  SLUICE_SECRET: 'a master key for the tests',
}

async function change(place: string, work: (db: Db) => Promise<void>): Promise<void> {
  const store = await connectStore(place, quiet)
  await work(store.db)
  await store.close()
}

const logRow = (content: string) => ({
  user_id: 1,
  created_at: 1,
  type: 4,
  content,
  username: 'root',
  token_name: '',
  model_name: '',
  upstream_model: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  channel_id: 0,
  request_id: '',
  elapsed_ms: 0,
  first_byte_ms: 0,
  is_stream: 0,
  attempts: 0,
  end_reason: '',
  estimated: 0,
  usage_suspect: 0,
  detail: '',
})

/** Creates an installation with more log rows than one page, a token, and a deleted row with the highest id. */
async function makeSource(dataDir: string): Promise<string> {
  const server = await startServer({ DATA_DIR: dataDir, ...settings })
  for (const name of ['kept', 'gone']) {
    const body = JSON.stringify({ name, unlimited_quota: true })
    await fetch(`${server.url}/api/token/`, { method: 'POST', headers: { authorization: accessToken }, body })
  }
  server.signal('SIGTERM')
  await server.exited
  const path = join(dataDir, 'sluice.db')
  await change(path, async (db) => {
    await db.deleteFrom('tokens').where('name', '=', 'gone').execute()
    await db
      .insertInto('logs')
      .values(Array.from({ length: 1_203 }, (_, index) => logRow(`row ${index} \u6c34\u95f8 ' " \\`)))
      .execute()
  })
  return path
}

const everything = async (place: string) => {
  const store = await connectStore(place, quiet)
  const tables = {
    users: await store.db.selectFrom('users').selectAll().orderBy('id').execute(),
    tokens: await store.db.selectFrom('tokens').selectAll().orderBy('id').execute(),
    ledger: await store.db.selectFrom('ledger').selectAll().orderBy('id').execute(),
    logs: await store.db.selectFrom('logs').selectAll().orderBy('id').execute(),
    options: await store.db.selectFrom('options').selectAll().orderBy('key').execute(),
  }
  await store.close()
  return tables
}

test('an installation moves to PostgreSQL and back, row by row, and continues its ids', async () => {
  const source = await makeSource(join(folder, 'first'))
  const database = await createTestDatabase('postgres')
  const before = await everything(source)
  expect(before.logs.length).toBeGreaterThan(1_200)

  const there = await runServer(['migrate-store', '--from', `sqlite:${source}`, '--to', database.url], {})
  expect(there.text).toContain('The ledger is consistent.')
  expect(there.code).toBe(0)
  expect(await everything(database.url)).toEqual(before)

  const again = await runServer(['migrate-store', '--from', `sqlite:${source}`, '--to', database.url], {})
  expect([again.code, again.text]).toEqual([1, expect.stringContaining('is not empty: its table users has rows')])

  const server = await startServer({ DATA_DIR: join(folder, 'second'), DATABASE_URL: database.url, ...settings })
  const busy = await runServer(['migrate-store', '--from', database.url, '--to', `sqlite:${join(folder, 'busy.db')}`], {})
  expect([busy.code, busy.text]).toEqual([1, expect.stringContaining('another process is using this database')])
  const body = JSON.stringify({ name: 'new', unlimited_quota: true })
  const response = await fetch(`${server.url}/api/token/`, { method: 'POST', headers: { authorization: accessToken }, body })
  expect(await response.json()).toMatchObject({ success: true, data: { id: 3 } })
  server.signal('SIGTERM')
  await server.exited

  const back = join(folder, 'back.db')
  const returned = await runServer(['migrate-store', '--from', database.url, '--to', `sqlite:${back}`], {})
  expect(returned.code).toBe(0)
  expect(await everything(back)).toEqual(await everything(database.url))
  await database.drop()
}, 120_000)

test('a failure is reported in one line, and wrong arguments print the usage', async () => {
  for (const args of [[], ['--from', 'sqlite:a'], ['--from', 'a', '--to', 'b'], ['--from', 'sqlite:a', '--to', 'sqlite:a']])
    expect(await runServer(['migrate-store', ...args], {})).toEqual({ code: 1, text: expect.stringContaining('Usage: migrate-store') })
  const missing = await runServer(['migrate-store', '--from', `sqlite:${folder}/none.db`, '--to', `sqlite:${folder}/to.db`], {})
  expect(missing).toEqual({ code: 1, text: `Nothing was written: no database found at ${folder}/none.db.\n` })
}, 60_000)
