import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { connectPostgres } from '../src/db/connect-postgres.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { createCluster } from './node-cluster.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { startServer, until } from './server-process.ts'

// The processes that share a database.

let server: PostgresServer
const folder = mkdtempSync(join(tmpdir(), 'sluice-nodes-test-'))
beforeAll(async () => {
  server = await startPostgres()
}, 60_000)
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const events = { report: () => {} }
/** Shorter than what makes a node take its database for lost. */
const soonMs = 2_000

test('each start of a node has an epoch of its own, and says when it stops', async () => {
  const url = await server.createDatabase()
  const first = await connectPostgres(url, { ...events, node: { id: 'a', version: 'v1' } })
  expect(first.node.live()).toMatchObject([{ id: 'a', epoch: first.node.epoch, version: 'v1' }])
  await first.close()
  const second = await connectPostgres(url, { ...events, node: { id: 'a', version: 'v2' } })
  expect(second.node.epoch).toBeGreaterThan(first.node.epoch)
  const rows = await second.db.selectFrom('nodes').select(['id', 'version', 'state']).orderBy('epoch').execute()
  expect(rows).toEqual([
    { id: 'a', version: 'v1', state: 'ended' },
    { id: 'a', version: 'v2', state: 'live' },
  ])
  await second.close()
}, 30_000)

test('a node sees others come and go', async () => {
  const url = await server.createDatabase()
  const { node, db, close } = await connectPostgres(url, events)
  const downIds: string[] = []
  node.onNodeDown(({ id }) => void downIds.push(id))
  const times = { started_ms: 0, heartbeat_ms: Number.MAX_SAFE_INTEGER }
  await db
    .insertInto('nodes')
    .values({ id: 'other', version: '', state: 'live', ...times })
    .execute()
  await until(() => node.live().length === 2)
  await db.updateTable('nodes').set({ state: 'dead' }).where('id', '=', 'other').execute()
  await until(() => downIds.length > 0)
  expect(downIds).toEqual(['other'])
  expect(node.live().map(({ epoch }) => epoch)).toEqual([node.epoch])
  await close()
}, 30_000)

test('a node whose heartbeat does not change is declared dead after ten seconds, whatever time it shows', async () => {
  const url = await server.createDatabase()
  const { node, db, close } = await connectPostgres(url, events)
  const downAtMs = new Map<string, number>()
  node.onNodeDown(({ id }) => void downAtMs.set(id, performance.now()))
  const hourMs = 3_600_000
  const heartbeats = { behind: 0, now: Date.now(), ahead: Date.now() + hourMs }
  const rows = Object.entries(heartbeats).map(([id, heartbeat]) => ({ id, version: '', state: 'live' as const, heartbeat_ms: heartbeat }))
  await db
    .insertInto('nodes')
    .values(rows.map((row) => ({ ...row, started_ms: 0 })))
    .execute()
  const begunMs = performance.now()
  await until(() => downAtMs.size === 3)
  for (const atMs of downAtMs.values()) expect(atMs - begunMs).toBeGreaterThan(10_000)
  const dead = await db.selectFrom('nodes').select('id').where('state', '=', 'dead').orderBy('id').execute()
  expect(dead.map(({ id }) => id)).toEqual(['ahead', 'behind', 'now'])
  await close()
}, 30_000)

test('no node is declared dead when the clock of the database is set, forward or back', async () => {
  const url = await server.createDatabase()
  const open = (id: string) => connectPostgres(url, { ...events, isShared: true, node: { id, version: '' } })
  const stores = [await open('a'), await open('b')]
  const [{ db } = expect.unreachable()] = stores
  const begunMs = performance.now()
  const stepsMs = [15_000, -3_600_000, 5_000, -7_000, 86_400_000]
  for (let step = 0; performance.now() - begunMs < 14_000; step++) {
    // As if the clock had been elsewhere at the last heartbeats.
    const byMs = stepsMs[step % stepsMs.length] ?? 0
    const set = await db
      .updateTable('nodes')
      .set(({ eb }) => ({ heartbeat_ms: eb('heartbeat_ms', '+', byMs) }))
      .returning(['epoch', 'heartbeat_ms', 'state'])
      .execute()
    expect(set.map(({ state }) => state)).toEqual(['live', 'live'])
    await until(async () => {
      const rows = await db.selectFrom('nodes').select(['epoch', 'heartbeat_ms']).execute()
      return rows.every(({ epoch, heartbeat_ms: now }) => set.some((row) => row.epoch === epoch && row.heartbeat_ms !== now))
    })
  }
  expect(stores.map(({ node }) => node.live().length)).toEqual([2, 2])
  for (const { close } of stores) await close()
}, 60_000)

test('a node whose connections hang half open is back through new ones', async () => {
  const url = await server.createDatabase()
  const proxy = await startFaultProxy(url)
  const { node, close } = await connectPostgres(Object.assign(new URL(url), { port: proxy.port }).href, events)
  expect(node.isHeard()).toBe(true)
  proxy.arm({ do: 'blackhole', afterBytes: 0 })
  await until(() => !node.isHeard())
  proxy.arm({ do: 'nothing' })
  await until(() => node.isHeard())
  await close()
  proxy.close()
}, 60_000)

test('a server that was declared dead while it was suspended ends itself, with a code that asks for a restart', async () => {
  const url = await server.createDatabase()
  const place = { DATA_DIR: folder, DATABASE_URL: url, INITIAL_ROOT_PASSWORD: 'a root password' }
  const process = await startServer(place)
  const sql = new SQL(url, { max: 1 })
  await sql`UPDATE nodes SET state = 'dead'`
  expect(await process.exited).toBe(75)
  expect(process.printed()).toContain('declared dead')
  await sql.close()
}, 60_000)

test('a server whose database has lost what it committed, as after a failover to a standby that was behind, ends itself', async () => {
  const url = await server.createDatabase()
  const cluster = createCluster({ url, urls: [], size: 1 })
  const upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('hello')))
  const node = await cluster.start(0)
  const authorization = await cluster.prepare(upstream)
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  expect((await fetch(`${node.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })).status).toBe(200)
  const sql = new SQL(url, { max: 1 })
  await sql`UPDATE nodes SET last_number = last_number - 1`
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'sluice ledger%'`
  expect(await node.exited).toBe(75)
  expect(node.printed()).toContain('has lost transactions')
  await sql.close()
  await cluster.close()
  await upstream.close()
}, 60_000)

test('while its lease lasts, a request reaches the vendor without a statement to the database, and its end waits for the charge', async () => {
  const url = await server.createDatabase()
  const proxy = await startFaultProxy(url)
  const cluster = createCluster({ url, urls: [Object.assign(new URL(url), { port: proxy.port }).href], size: 1 })
  const upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('hello')))
  const node = await cluster.start(0)
  const authorization = await cluster.prepare(upstream)
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const ask = async (): Promise<number> =>
    (await fetch(`${node.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })).status
  expect(await ask()).toBe(200)
  /**
   * Asks while no statement arrives. `false`: some did not reach the vendor soon, because the node was still reading what `prepare` had changed,
   * or because this machine is slow.
   */
  const reachesVendor = async (): Promise<boolean> => {
    const before = upstream.received.length
    proxy.arm({ do: 'blackhole', afterBytes: 0 })
    let responded = 0
    const pending = Array.from({ length: 20 }, () => ask().finally(() => (responded += 1)))
    const begunMs = performance.now()
    await until(() => responded > 0 || upstream.received.length === before + 20 || performance.now() - begunMs > soonMs)
    const haveReached = upstream.received.length === before + 20 && responded === 0
    proxy.arm({ do: 'nothing' })
    proxy.cut()
    const statuses = new Set(await Promise.all(pending))
    if (haveReached) expect(statuses).toEqual(new Set([200]))
    else await until(async () => (await ask()) === 200)
    return haveReached
  }
  await until(reachesVendor)
  expect(await cluster.inconsistencies()).toEqual([])
  await cluster.close()
  await upstream.close()
  proxy.close()
}, 120_000)
