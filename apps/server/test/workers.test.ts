import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { prepare, processPassword, runServer, startServer, until } from './server-process.ts'

// Several processes on one port (`workers.ts`).

const size = 2
let database: PostgresServer
const folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'))
const upstream = await startFakeUpstream()
beforeAll(async () => {
  database = await startPostgres()
}, 120_000)
afterAll(async () => {
  await upstream.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** The processes that the database takes for running. */
async function liveNodes(url: string): Promise<readonly { readonly id: string; readonly epoch: number }[]> {
  const { db, close } = openForReading(url)
  try {
    return await db.selectFrom('nodes').select(['id', 'epoch']).where('state', '=', 'live').orderBy('id').execute()
  } finally {
    await close()
  }
}

const childrenOf = async (pid: number): Promise<readonly number[]> =>
  (await Bun.$`pgrep -P ${pid}`.nothrow().text()).trim().split('\n').filter(Boolean).map(Number)

test('all processes of the first start, and a second server of the installation, print one setup link together', async () => {
  const url = await database.createDatabase()
  const start = (name: string, more: Readonly<Record<string, string>> = {}) =>
    startServer({ DATABASE_URL: url, DATA_DIR: join(folder, name), SLUICE_SECRET: 'a master key of all nodes', ...more })
  const servers = await Promise.all([start('one', { WORKERS: String(size) }), start('two', { NODE_ID: 'two' })])
  const links = () => servers.flatMap((server) => [...server.printed().matchAll(/\/setup#([\w-]{43})\n/g)].map(([, secret]) => secret))
  await until(() => links().length > 0)
  const opened = await fetch(`${servers[1].url}/api/user/setup`, { method: 'POST', body: JSON.stringify({ secret: links()[0] }) })
  expect(await opened.json()).toMatchObject({ success: true, data: { username: 'root' } })
  for (const server of servers) server.signal('SIGTERM')
  expect(await Promise.all(servers.map((server) => server.exited))).toEqual([0, 0])
  expect(links()).toHaveLength(1)
}, 120_000)

test('processes share a port and a database, one that is killed is replaced, and all end with the first', async () => {
  const url = await database.createDatabase()
  const file = join(folder, 'database-url')
  writeFileSync(file, `${url}\n`)
  const variables = { DATABASE_URL_FILE: file, DATA_DIR: folder, WORKERS: String(size), INITIAL_ROOT_PASSWORD: processPassword }
  const server = await startServer(variables)
  expect((await runServer(['healthcheck'], { ...variables, PORT: String(server.port) })).code).toBe(0)
  upstream.fallback(() => json(chatResponse('hello')))
  const headers = await prepare(server, upstream)
  const ask = () =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      // Each on a connection of its own, of which every process gets some.
      headers: { ...headers, connection: 'close' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    }).then(({ status }) => status)
  const askMany = async () => [...new Set(await Promise.all(Array.from({ length: 40 }, ask)))]
  // A process that does not know the channel yet says so; it learns of it within two seconds.
  await until(async () => (await askMany()).join() === '200')
  const before = await liveNodes(url)
  expect(before).toHaveLength(size)

  const [first = 0] = await childrenOf(server.pid)
  process.kill(first, 'SIGKILL')
  await until(async () => {
    const now = await childrenOf(server.pid)
    return now.length === size && !now.includes(first)
  })
  const isReplaced = async (): Promise<boolean> => {
    const now = await liveNodes(url)
    const isSame = now.map(({ id }) => id).join() === before.map(({ id }) => id).join()
    return isSame && now.some(({ epoch }) => before.every((old) => old.epoch !== epoch))
  }
  await until(async () => (await isReplaced()) && (await askMany()).join() === '200')

  const running = await childrenOf(server.pid)
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(running.filter((pid) => isThere(pid))).toEqual([])
  expect(await liveNodes(url)).toEqual([])
}, 60_000)

test('a process whose event loop is blocked ends by its watchdog and is replaced, while the other one serves', async () => {
  const url = await database.createDatabase()
  const blocking = { WATCHDOG_MS: '2000', FAIL_AT: 'hold-asked:1:block' }
  const variables = { DATABASE_URL: url, DATA_DIR: folder, WORKERS: String(size), INITIAL_ROOT_PASSWORD: processPassword }
  const server = await startServer({ ...variables, ...blocking })
  const headers = { ...(await prepare(server, upstream)), connection: 'close' }
  const before = await childrenOf(server.pid)
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const isServed = () => fetch(`${server.url}/livez`, { headers: { connection: 'close' } }).then(({ ok }) => ok)
  const chat = async (): Promise<number | null> => {
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body }).catch(() => null)
    return response === null ? null : response.status
  }
  let isOver = false
  const blocked = (async () => {
    // A process that does not know the channel yet refuses the request before it reserves anything.
    while ((await chat()) !== null);
    isOver = true
  })()
  // The system gives connections to both processes, so the one that is blocked takes some of these, and the other one serves the rest.
  let served = 0
  while (!isOver) {
    if (await Promise.race([isServed().catch(() => false), blocked.then(() => false)])) served += 1
  }
  expect(served).toBeGreaterThan(0)
  await until(async () => {
    const now = await childrenOf(server.pid)
    return now.length === size && now.filter((pid) => before.includes(pid)).length === size - 1
  })
  expect(server.printed()).toContain('event loop blocked, ending the process')
  expect(server.printed()).toMatch(/"worker":"[^"]+\/[12]","code":70,"signal":null,"pauseMs":500,"msg":"worker ended, starting it again"/)
  await until(async () => (await Promise.all(Array.from({ length: 40 }, () => isServed().catch(() => false)))).every(Boolean))
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}, 60_000)

test('a process that ends again and again is started after longer and longer pauses', async () => {
  const url = await database.createDatabase()
  const server = await startServer({ DATABASE_URL: url, DATA_DIR: folder, WORKERS: String(size), INITIAL_ROOT_PASSWORD: processPassword })
  const pauses = () => [...server.printed().matchAll(/"worker":"[^"]+\/1",.*"pauseMs":(\d+)/g)].map(([, pauseMs]) => Number(pauseMs))
  const [first = 0, other = 0] = await childrenOf(server.pid)
  let victim = first
  for (const times of [1, 2, 3]) {
    const killed = victim
    process.kill(killed, 'SIGKILL')
    await until(async () => {
      const now = await childrenOf(server.pid)
      victim = now.find((pid) => pid !== other && pid !== killed) ?? killed
      return pauses().length === times && now.length === size && victim !== killed && !now.includes(killed)
    })
  }
  expect(pauses()).toEqual([500, 1_000, 2_000])
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}, 60_000)

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('several processes on SQLite, a number that is none, and a port that is taken are refused with a message', async () => {
  const variables = { DATA_DIR: join(folder, 'refused') }
  const onSqlite = await runServer([], { ...variables, WORKERS: '2' })
  expect([onSqlite.code, onSqlite.text]).toEqual([1, expect.stringContaining('WORKERS above 1 needs PostgreSQL (DATABASE_URL)')])
  const wrong = await runServer([], { ...variables, WORKERS: 'many' })
  expect([wrong.code, wrong.text]).toEqual([1, expect.stringContaining('WORKERS must be auto or a whole number from 1 to 64, not "many"')])
  const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const taken = await runServer([], { ...variables, DATABASE_URL: 'postgres://a@127.0.0.1:1/b', WORKERS: '2', PORT: String(other.port) })
  other.stop(true)
  expect([taken.code, taken.text]).toEqual([1, expect.stringContaining(`port ${other.port} is in use by another program`)])
}, 60_000)

test('a database that cannot be reached ends all processes with the reason', async () => {
  const { code, text } = await runServer([], { DATA_DIR: folder, DATABASE_URL: 'postgres://a@127.0.0.1:1/b', WORKERS: '2' })
  expect([code, text]).toEqual([1, expect.stringContaining('Sluice cannot start')])
  expect(text.match(/Sluice cannot start/g)).toHaveLength(1)
}, 60_000)
