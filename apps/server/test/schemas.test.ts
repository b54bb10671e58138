import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { migrations } from '../src/db/migrate.ts'
import { migrateStore } from '../src/db/migrate-store.ts'
import { chatResponse, type FakeUpstream, json, startFakeUpstream } from './fake-upstream.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { type PostgresServer, sharedPostgres } from './postgres-server.ts'
import { runServer, until } from './server-process.ts'

// Databases that are shared with other programs, or with other installations: each has a schema of its own.

let server: PostgresServer
let dataDir: string
beforeAll(async () => {
  server = await sharedPostgres()
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-schemas-'))
}, 60_000)
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

async function ask<Row>(url: string, ...statements: readonly string[]): Promise<Row[]> {
  const line = new SQL(url, { max: 1 })
  let rows: Row[] = []
  for (const statement of statements) rows = [...(await line.unsafe<Row[]>(statement))]
  await line.close()
  return rows
}

const tablesOf = async (url: string, schema: string): Promise<readonly string[]> =>
  (await ask<{ name: string }>(url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`)).map(
    ({ name }) => name,
  )

const start = (url: string) => runServer([], { DATABASE_URL: url, DATA_DIR: dataDir, SLUICE_SECRET: 'a master key for the tests' })

describe('a server refuses to start, says why and makes nothing', () => {
  test.each([
    [
      'a table of another program',
      ['CREATE TABLE users (id int)'],
      'the schema public must be empty for a new installation, and has the tables users',
    ],
    [
      'the migrations of another program',
      ['CREATE TABLE kysely_migration (name text, timestamp text)', "INSERT INTO kysely_migration VALUES ('2020-theirs', '2020-01-01')"],
      'has the tables kysely_migration',
    ],
  ])(
    'in a schema that has %s',
    async (_, statements, message) => {
      const url = await server.createDatabase()
      await ask(url, ...statements)
      const before = await tablesOf(url, 'public')
      const { code, text } = await start(url)
      expect([code, text]).toEqual([1, expect.stringContaining(message)])
      expect(text).toContain('?schema=')
      expect(await tablesOf(url, 'public')).toEqual(before)
      await server.dropDatabase(url)
    },
    60_000,
  )

  test('where the schema does not exist', async () => {
    const url = await server.createDatabase()
    const { code, text } = await start(`${url}?schema=nowhere`)
    expect([code, text]).toEqual([1, expect.stringContaining('CREATE SCHEMA sluice AUTHORIZATION postgres')])
    expect(text).toContain('nowhere')
    await server.dropDatabase(url)
  }, 60_000)

  test('where the role may make no tables', async () => {
    const url = await server.createDatabase()
    await ask(url, 'CREATE ROLE guest LOGIN', 'REVOKE CREATE ON SCHEMA public FROM public')
    const { code, text } = await start(Object.assign(new URL(url), { username: 'guest' }).href)
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('may make no tables in the schema public: CREATE SCHEMA sluice AUTHORIZATION guest'),
    ])
    expect(await tablesOf(url, 'public')).toEqual([])
    await server.dropDatabase(url)
  }, 60_000)
})

test('a start that was refused before it had made tables of its own is no reason to refuse the next one', async () => {
  const url = await server.createDatabase()
  await ask(url, 'CREATE TABLE kysely_migration (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL)')
  const cluster = createCluster({ url, size: 1 })
  await cluster.start(0)
  await cluster.close()
  await server.dropDatabase(url)
}, 60_000)

test('tables of other programs in other schemas, with names of ours, stay as they are', async () => {
  const url = await server.createDatabase()
  await ask(
    url,
    'CREATE TABLE kysely_migration (name text PRIMARY KEY, timestamp text)',
    'CREATE TABLE kysely_migration_lock (id text PRIMARY KEY, is_locked int)',
    'CREATE TABLE users (id int)',
    'CREATE TABLE logs (id int)',
    'CREATE SCHEMA "My Sluice"',
  )
  const before = await tablesOf(url, 'public')
  const own = `${url}?schema=My%20Sluice`
  const cluster = createCluster({ url: own, size: 1 })
  await cluster.start(0)
  expect(await cluster.inconsistencies()).toEqual([])
  await cluster.end(0, 'SIGTERM')
  expect(await tablesOf(url, 'public')).toEqual(before)
  expect(await ask(url, 'SELECT * FROM kysely_migration')).toEqual([])
  expect((await ask(url, 'SELECT name FROM "My Sluice".kysely_migration')).length).toBe(Object.keys(migrations).length)
  // The whole store moves into another schema of the same database.
  await ask(url, 'CREATE SCHEMA moved')
  expect((await migrateStore(own, `${url}?search_path=moved`)).length).toBeGreaterThan(10)
  expect(await ask(url, 'SELECT username FROM moved.users')).toEqual([{ username: 'root' }])
  await cluster.close()
  await server.dropDatabase(url)
}, 60_000)

test('the search path of the role names the schema', async () => {
  const url = await server.createDatabase()
  const role = `owner_${crypto.randomUUID().slice(0, 8)}`
  await ask(
    url,
    `CREATE ROLE ${role} LOGIN`,
    `CREATE SCHEMA apart AUTHORIZATION ${role}`,
    `ALTER ROLE ${role} SET search_path = apart, public`,
  )
  const cluster = createCluster({ url: Object.assign(new URL(url), { username: role }).href, size: 1 })
  await cluster.start(0)
  await cluster.close()
  expect(await tablesOf(url, 'public')).toEqual([])
  expect(await tablesOf(url, 'apart')).toContain('users')
  await server.dropDatabase(url)
}, 60_000)

test('a schema that comes first only since the installation was made in another one does not hide it', async () => {
  const url = await server.createDatabase()
  const cluster = createCluster({ url, size: 1 })
  await cluster.start(0)
  await cluster.end(0, 'SIGTERM')
  await ask(url, 'CREATE SCHEMA postgres')
  const { code, text } = await start(url)
  expect([code, text]).toEqual([1, expect.stringContaining('but public has one: add ?schema=public to DATABASE_URL for that one')])
  expect(await tablesOf(url, 'postgres')).toEqual([])
  const again = createCluster({ url: `${url}?schema=public`, size: 1 })
  await again.start(0)
  await again.close()
  // Named by its schema, another one may be made beside it.
  const beside = createCluster({ url: `${url}?schema=postgres`, size: 1 })
  await beside.start(0)
  await beside.close()
  await cluster.close()
  await server.dropDatabase(url)
}, 60_000)

describe('two installations in one database', () => {
  let url: string
  let upstream: FakeUpstream
  /** In `public`, and in a schema of its own. Their nodes have equal names. */
  let clusters: readonly [Cluster, Cluster]
  beforeAll(async () => {
    url = await server.createDatabase()
    await ask(url, 'CREATE SCHEMA second')
    upstream = await startFakeUpstream()
    upstream.fallback(() => json(chatResponse('hello')))
    clusters = [createCluster({ url, size: 2 }), createCluster({ url: `${url}?schema=second`, size: 2 })]
    // The second one makes its tables while the first one makes its own.
    for (const place of [0, 1]) await Promise.all(clusters.map((cluster) => cluster.start(place)))
  }, 60_000)
  afterAll(async () => {
    for (const cluster of clusters) await cluster.close()
    await upstream.close()
    await server.dropDatabase(url)
  }, 60_000)

  const chat = async (cluster: Cluster, authorization: string, place = 0): Promise<number> => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    return (await fetch(`${cluster.nodeAt(place).url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })).status
  }

  test('both respond and charge, and a token of one is unknown to the other', async () => {
    const [first = '', second = ''] = await Promise.all(clusters.map((cluster) => cluster.prepare(upstream)))
    await until(async () => (await chat(clusters[0], first, 1)) === 200)
    await until(async () => (await chat(clusters[1], second, 1)) === 200)
    expect([await chat(clusters[0], second), await chat(clusters[1], first)]).toEqual([401, 401])
    for (const cluster of clusters) expect(await cluster.inconsistencies()).toEqual([])
  }, 60_000)

  test('a node that is killed is missed by its own installation only', async () => {
    await clusters[1].end(1, 'SIGKILL')
    const live = (schema: string) => ask<{ id: string }>(url, `SELECT id FROM ${schema}.nodes WHERE state = 'live' ORDER BY id`)
    await until(async () => (await live('second')).length === 1)
    expect(await live('public')).toEqual([{ id: 'node 0' }, { id: 'node 1' }])
    expect([clusters[0].running().length, clusters[1].running().length]).toEqual([2, 1])
  }, 60_000)

  test('a command that needs one of them alone runs while the other one serves', async () => {
    await clusters[1].end(0, 'SIGTERM')
    await ask(url, 'CREATE SCHEMA third')
    await expect(migrateStore(url, `${url}?schema=third`)).rejects.toThrow('another process is using this database')
    expect((await migrateStore(`${url}?schema=second`, `${url}?schema=third`)).length).toBeGreaterThan(10)
    expect(clusters[0].running().length).toBe(2)
    await clusters[1].start(0)
  }, 60_000)

  test('an installation is made while another one migrates', async () => {
    const line = new SQL(url, { max: 1 })
    // What servers hold in `public` while they change tables, choose a first key or make partitions, and what Kysely itself would take.
    for (const key of ['2310579426', '2310579425', '1947203311', '3853314791062309107'])
      await line.unsafe(`SELECT pg_advisory_lock(${key})`)
    await line.unsafe('CREATE SCHEMA fourth')
    const fourth = createCluster({ url: `${url}?schema=fourth`, size: 1 })
    await fourth.start(0)
    await fourth.close()
    await line.close()
  }, 60_000)

  test('a change is noted for the installation whose table it is in, whatever the session searches, and wakes no other', async () => {
    const [listening, other] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })]
    let notifications = 0
    const subscription = await listening.listen('config_changes', () => {
      notifications += 1
    })
    const noted = async (schema: string): Promise<number> =>
      (await ask<{ count: number }>(url, `SELECT count(*)::int AS count FROM ${schema}.config_changes`))[0]?.count ?? 0
    const [before, theirs] = [await noted('second'), await noted('public')]
    await other.unsafe("UPDATE second.tokens SET name = name || 'x'")
    await other.unsafe("UPDATE second.channels SET name = name || 'x'")
    await other.unsafe('DELETE FROM second.tokens')
    expect([await noted('second'), await noted('public')]).toEqual([before + 3, theirs])
    // A notification of the other schema is sent before this one, and would arrive first.
    expect(notifications).toBe(0)
    await other.unsafe("UPDATE public.tokens SET name = name || 'x'")
    await until(() => notifications === 1)
    await subscription.unlisten()
    for (const line of [listening, other]) await line.close()
  }, 60_000)
})
