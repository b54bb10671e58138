import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { connectPostgres } from '../src/db/connect-postgres.ts'
import { postgresLedgerStore } from '../src/ledger/postgres-ledger-store.ts'
import { type TestApp, testApp } from './app.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { chatChunk, chatResponse, json } from './fake-upstream.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { runServer, startServer, until } from './server-process.ts'

// Faults that only PostgreSQL can have: it is another process, which may end, hang, or have another owner.

let server: PostgresServer
/**
 * Suspends every session of a server, after the process that accepts connections, so that none begins meanwhile.
 * @returns resumes all of them
 */
async function suspendServer({ address }: PostgresServer): Promise<() => void> {
  const own = new SQL(address, { max: 1 })
  const [{ folder }] = await own<[{ folder: string }]>`SELECT current_setting('data_directory') AS folder`
  const postmaster = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(postmaster, 'SIGSTOP')
  const rows = await own<
    { pid: number }[]
  >`SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
  const pids = [...rows.map(({ pid }) => pid), postmaster]
  await own.close()
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

beforeAll(async () => {
  server = await startPostgres()
}, 60_000)
afterAll(() => server.stop())

const usage = { prompt_tokens: 100, completion_tokens: 50 }

/** @returns a function that sends a chat */
async function prepare(app: TestApp): Promise<(isStream?: boolean) => Promise<Response>> {
  const user = await app.make.user()
  await app.make.channel()
  const { key } = await app.make.token(user)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (isStream = false) =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
    })
}

const entries = (app: TestApp) => app.app.store.db.selectFrom('ledger').select('ref').where('kind', '=', 'consume').execute()
const statusOf = async (app: TestApp, path: string): Promise<number> => (await app.request(path)).status

describe('while the database is unavailable', () => {
  test('requests are refused, delivered output is charged later, and service resumes when it is back', async () => {
    const app = await testApp({ env: { DATABASE_URL: await server.createDatabase() } })
    const chat = await prepare(app)
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: 'first' }))}\n\n` },
      { do: 'wait', name: 'outage' },
      { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: 'last' }, 'stop'))}\n\ndata: [DONE]\n\n` },
    ])
    const stream = await chat(true)
    const before = app.upstream.received.length

    await server.kill()
    await until(async () => (await statusOf(app, '/readyz')) === 503)
    const refused = await chat()
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'database_unavailable' } }])
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(app.upstream.received.length).toBe(before)
    const listed = await app.request(contract.token.list.path, { headers: app.root.headers })
    expect([listed.status, await listed.json()]).toMatchObject([503, { success: false }])
    expect(await statusOf(app, '/healthz')).toBe(200)
    app.upstream.release('outage')

    await server.start()
    expect(await stream.text()).toEndWith('data: [DONE]\n\n')
    await until(async () => (await statusOf(app, '/readyz')) === 200)
    app.upstream.script(json(chatResponse('hello', usage)))
    expect((await chat()).status).toBe(200)
    expect(await entries(app)).toHaveLength(2)
    expect(await app.inconsistencies()).toEqual([])
    await app.close()
  }, 60_000)

  test('a hanging database is noticed within seconds: new requests are refused, running ones end and are charged once it is back', async () => {
    const app = await testApp({ env: { DATABASE_URL: await server.createDatabase() } })
    const chat = await prepare(app)
    app.upstream.fallback(() => json(chatResponse('hello', usage)))
    expect((await chat()).status).toBe(200)
    await app.app.ledger.drain()
    const resume = await suspendServer(server)
    const statuses: number[] = []
    const pending = Promise.all(Array.from({ length: 200 }, async () => void statuses.push((await chat()).status)))
    // Where the test fails before they end, nobody waits for them: they would fail another test minutes later.
    pending.catch(() => {})
    await until(async () => (await statusOf(app, '/readyz')) === 503)
    const refused = await Promise.all(Array.from({ length: 20 }, () => chat()))
    expect(new Set(refused.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(new Set(['503 5']))
    expect(await refused[0]?.json()).toMatchObject({ error: { code: 'database_unavailable' } })
    // Nobody sees the end of a response whose charge is not committed.
    expect(statuses).not.toContain(200)
    resume()
    await pending
    // A request that had to read its token again was refused.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    await until(async () => (await statusOf(app, '/readyz')) === 200)
    await until(async () => (await chat()).status === 200)
    await until(() => app.app.ledger.openHolds() === 0)
    expect(await entries(app)).toHaveLength(statuses.filter((status) => status === 200).length + 2)
    expect(await app.inconsistencies()).toEqual([])
    await app.close()
  }, 90_000)

  test('a commit whose response is lost is neither repeated nor forgotten', async () => {
    const proxy = await startCuttingProxy(await server.createDatabase())
    const app = await testApp({ env: { DATABASE_URL: proxy.url } })
    const chat = await prepare(app)
    app.upstream.script([{ do: 'wait', name: 'lost' }, ...json(chatResponse('hello', usage))])
    const response = chat()
    await until(() => app.upstream.received.length === 1)
    proxy.loseNextCommit()
    app.upstream.release('lost')
    expect((await response).status).toBe(200)
    expect(proxy.lost()).toBe(1)
    expect(await entries(app)).toHaveLength(1)
    const { balance } =
      (await app.app.store.db.selectFrom('users').select('quota as balance').where('id', '<>', 1).executeTakeFirst()) ?? {}
    expect(balance).toBe(1_000_000 - 23)
    expect(await app.inconsistencies()).toEqual([])
    await app.close()
    proxy.close()
  }, 60_000)

  test('a posting whose response is lost is still known to be new or not', async () => {
    const proxy = await startCuttingProxy(await server.createDatabase())
    const app = await testApp({ env: { DATABASE_URL: proxy.url } })
    const { ledger } = app.app
    const grant = { userId: 1, kind: 'grant', ref: 'once', amount: 70 } as const
    const others = [1, 2].map((number) => ({ ...grant, ref: `other ${number}` }))
    const posted: boolean[] = []
    for (const posting of [grant, grant]) {
      proxy.loseNextCommit()
      posted.push(...(await Promise.all([posting, ...others].map(ledger.post))))
      await until(async () => (await statusOf(app, '/readyz')) === 200)
    }
    expect(posted).toEqual([true, true, true, false, false, false])
    expect(proxy.lost()).toBe(2)
    expect(await app.inconsistencies()).toEqual([])
    await app.close()
    proxy.close()
  }, 60_000)

  test('a lease whose response is lost is found again, and pays for its request', async () => {
    const proxy = await startCuttingProxy(await server.createDatabase())
    const app = await testApp({ env: { DATABASE_URL: proxy.url } })
    const chat = await prepare(app)
    app.upstream.script(json(chatResponse('hello', usage)))
    proxy.loseNextCommit()
    expect((await chat()).status).toBe(200)
    expect(proxy.lost()).toBe(1)
    expect(await entries(app)).toHaveLength(1)
    expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
    expect(await app.inconsistencies()).toEqual([])
    await app.close()
    proxy.close()
  }, 60_000)
})

test('a server whose database was taken over by another writes nothing anymore', async () => {
  const app = await testApp({ env: { DATABASE_URL: await server.createDatabase() } })
  const chat = await prepare(app)
  const { store } = app.app
  if (store.engine !== 'postgres') throw new Error('this test is about PostgreSQL')
  await sql`UPDATE nodes SET state = 'dead'`.execute(store.db)
  expect((await chat()).status).toBe(500)
  expect(await statusOf(app, '/readyz')).toBe(503)
  expect(await store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
  await app.close()
}, 60_000)

test('a charge waits for a concurrent change of its account and tokens, without a deadlock', async () => {
  const reported: string[] = []
  const store = await connectPostgres(await server.createDatabase(), { report: (what) => void reported.push(what) })
  const { db } = store
  const user = { username: 'ann', display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  const token = { user_id: 1, key_lookup: 'k', key_sealed: '', name: 't', status: 1, unlimited_quota: 0, models: '', subnet: '' }
  const times = { created_time: 0, accessed_time: 0, expired_time: -1 }
  await db.insertInto('users').values(user).execute()
  await db
    .insertInto('tokens')
    .values({ ...token, ...times, remain_quota: 9 })
    .execute()
  const isWaiting = async (): Promise<boolean> => {
    const { rows } =
      await sql`SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`.execute(
        db,
      )
    return rows.length > 0
  }
  const hold = { requestId: 'r', userId: 1, tokenId: 1, amount: 5, modelName: 'm' }
  const operations = [
    { do: 'hold', request: hold },
    { do: 'settle', hold, settlement: { amount: 5, channelId: 1, log: null } },
  ] as const
  let charged: Promise<void> | null = null
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ status: 2 }).execute()
    charged = postgresLedgerStore(store, () => {}).commit({ operations, nowSeconds: 0, apply: () => {} })
    await until(isWaiting)
    await trx.updateTable('tokens').set({ status: 2 }).execute()
  })
  await charged
  expect(await db.selectFrom('tokens').select(['status', 'remain_quota']).execute()).toEqual([{ status: 2, remain_quota: 4 }])
  expect(reported).toEqual([])
  await store.close()
}, 60_000)

describe('values', () => {
  test('are read with the types of the rows', async () => {
    const url = await server.createDatabase()
    const { db, close } = await connectPostgres(url, { report: () => {} })
    const most = Number.MAX_SAFE_INTEGER
    const row = { username: 'a\0b', display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
    const { id } = await db
      .insertInto('users')
      .values({ ...row, quota: most })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { numUpdatedRows } = await db.updateTable('users').set({ used_quota: 5 }).where('quota', '=', most).executeTakeFirst()
    const account = await db
      .selectFrom('users')
      .select(({ fn, eb }) => [fn.sum('quota').as('sum'), fn.countAll().as('count'), fn.max('username').as('name'), eb.lit(true).as('yes')])
      .executeTakeFirstOrThrow()
    expect([id, numUpdatedRows, Object.values(account)]).toEqual([1, 1n, [most, 1, 'a\ufffdb', 1]])
    await close()
  })
})

describe('processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('a second server of the same name is refused with a message until the first has ended; verify runs beside a server', async () => {
    const url = await server.createDatabase()
    const variables = { DATA_DIR: folder, DATABASE_URL: url, NODE_ID: 'one', INITIAL_ROOT_PASSWORD: 'a root password' }
    const first = await startServer(variables)
    const second = await runServer([], variables)
    expect(second.code).toBe(1)
    expect(second.text).toContain('another server with the name one is using this database')
    expect(second.text).not.toContain('.ts')
    const verified = await runServer(['verify'], variables)
    expect(verified.text).toContain('The ledger is consistent.')
    first.signal('SIGKILL')
    await first.exited
    const third = await startServer(variables)
    third.signal('SIGTERM')
    expect(await third.exited).toBe(0)
  }, 60_000)

  test('a database that cannot be reached is named without its password', async () => {
    const url = Object.assign(new URL(await server.createDatabase()), { port: '1', password: 'hidden-secret' }).href
    for (const args of [[], ['verify']]) {
      const { code, text } = await runServer(args, { DATA_DIR: folder, DATABASE_URL: url })
      expect(code).toBe(1)
      expect(text).toContain('postgres://127.0.0.1:1/')
      expect(text).not.toContain('hidden-secret')
      expect(text).not.toContain('.ts')
    }
  }, 60_000)
})
