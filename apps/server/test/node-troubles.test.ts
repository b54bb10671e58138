import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { SQL } from 'bun'
import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { fromSources, type ServerProcess, until } from './server-process.ts'

// Two troubles at a time: an upgrade while a node is cut off, a database that admits no connection while leases are refreshed, a wall clock that is
// set while nodes share limits. Each time what clients saw whole is charged once.

let database: PostgresServer
const upstream = await startFakeUpstream()
beforeAll(async () => {
  database = await startPostgres()
  upstream.fallback(() => json(chatResponse('hello')))
}, 60_000)
afterAll(async () => {
  await upstream.close()
  await database.stop()
}, 60_000)

interface ApiResponse {
  readonly status: number
  readonly code: string
  readonly retryAfter: string | null
}

async function chat(server: ServerProcess, authorization: string): Promise<ApiResponse> {
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })
  // Holds: a response of the relay is an object, with `error` if it failed.
  const { error } = (await response.json()) as { readonly error?: { readonly code: string } }
  return { status: response.status, code: error?.code ?? '', retryAfter: response.headers.get('retry-after') }
}

/** Clients of some nodes, until `end`. */
function load(cluster: Cluster, authorization: string) {
  const seen = new Map<string, number>()
  let isOver = false
  let whole = 0
  const client = async (place: number): Promise<void> => {
    while (!isOver) {
      const server = cluster.at(place)
      const response = server === null ? null : await chat(server, authorization).catch(() => null)
      if (response?.status === 200) whole += 1
      const name = response === null ? 'none' : `${response.status} ${response.code}${response.retryAfter === null ? '' : ' later'}`
      seen.set(name, (seen.get(name) ?? 0) + 1)
      await Bun.sleep(response?.status === 200 ? 0 : 20)
    }
  }
  const clients = Array.from({ length: cluster.size * 2 }, (_, at) => client(at % cluster.size))
  return {
    seen,
    whole: () => whole,
    async end(): Promise<number> {
      isOver = true
      await Promise.all(clients)
      return whole
    },
  }
}

async function charges(url: string): Promise<number> {
  const { db, close } = openForReading(url)
  const rows = await db.selectFrom('ledger').select('ref').where('kind', '=', 'consume').execute()
  await close()
  return rows.length
}

test('a rolling upgrade goes on while a node is cut off from the database: that one ends, and no charge is lost', async () => {
  const url = await database.createDatabase()
  const proxy = await startFaultProxy(url)
  const cut = Object.assign(new URL(url), { port: proxy.port }).href
  const cluster = createCluster({ url, urls: [url, cut, url], size: 3, variables: { SHUTDOWN_DELAY_MS: '200' } })
  const later = fromSources(join(import.meta.dir, 'later-version.ts'))
  for (const place of [0, 1, 2]) await cluster.start(place)
  const authorization = await cluster.prepare(upstream)
  for (const place of [0, 1, 2]) await until(async () => (await chat(cluster.at(place) as ServerProcess, authorization)).status === 200)
  const away = cluster.at(1) as ServerProcess
  const loading = load(cluster, authorization)
  await until(() => loading.whole() > 30)
  proxy.arm({ do: 'blackhole', afterBytes: 0 })
  // Its tables change while the other one is cut off.
  expect(await cluster.end(0, 'SIGTERM')).toBe(0)
  await cluster.start(0, later)
  expect(await cluster.end(2, 'SIGTERM')).toBe(0)
  await cluster.start(2, later)
  const line = new SQL(url, { max: 1 })
  await until(async () => (await line.unsafe("SELECT 1 FROM nodes WHERE id = 'node 1' AND state = 'dead'")).length > 0)
  proxy.arm({ do: 'nothing' })
  proxy.cut()
  expect(await away.exited).toBe(75)
  await cluster.start(1, later)
  const before = loading.whole()
  await until(() => loading.whole() > before + 50)
  const whole = await loading.end()
  // A balance that suffices is never refused for good; the node that ends cannot charge what it was serving.
  expect([...loading.seen.keys()].filter((name) => /^4/.test(name))).toEqual([])
  for (const place of [0, 1, 2]) expect(await cluster.end(place, 'SIGTERM')).toBe(0)
  expect(await charges(url)).toBeGreaterThanOrEqual(whole)
  expect(await cluster.inconsistencies()).toEqual([])
  await line.close()
  await cluster.close()
  proxy.close()
}, 120_000)

test('nodes whose database admits no further connection refuse for now, say why, and go on by themselves', async () => {
  const url = await database.createDatabase()
  const admin = new SQL(url, { max: 1 })
  // Roles belong to the whole server, so a second try of the test needs another one.
  const role = `limited_${crypto.randomUUID().slice(0, 8)}`
  await admin.unsafe(`CREATE ROLE ${role} LOGIN`)
  await admin.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${role}`)
  const own = Object.assign(new URL(url), { username: role }).href
  const cluster = createCluster({ url, urls: [own, own], size: 2 })
  for (const place of [0, 1]) await cluster.start(place)
  // Two nodes share it, so each asks for more again and again.
  const authorization = await cluster.prepare(upstream, { unlimited_quota: false, remain_quota: 3_000_000 })
  const loading = load(cluster, authorization)
  await until(() => loading.whole() > 50)
  loading.seen.clear()
  const all = [`ALTER ROLE ${role} CONNECTION LIMIT 0`, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`]
  for (const statement of all) await admin.unsafe(statement)
  // Whoever was reserved for just before waits until the charge is stored, which all clients may do: so further ones ask.
  const late: Promise<ApiResponse>[] = []
  const responses: ApiResponse[] = []
  const isRefused = ({ status, code, retryAfter }: ApiResponse): boolean =>
    status === 503 && code === 'database_unavailable' && retryAfter !== null
  await until(async () => {
    const pending = chat(cluster.nodeAt(late.length), authorization)
    late.push(pending)
    void pending.then((response) => responses.push(response))
    return responses.filter(isRefused).length > 20
  })
  for (const place of [0, 1]) await until(() => cluster.at(place)?.printed().includes('too many connections for role') === true)
  await admin.unsafe(`ALTER ROLE ${role} CONNECTION LIMIT -1`)
  const before = loading.whole()
  await until(() => loading.whole() > before + 50)
  const lateWhole = (await Promise.all(late)).filter(({ status }) => status === 200).length
  expect(responses.filter((response) => response.status !== 200 && !isRefused(response))).toEqual([])
  const whole = (await loading.end()) + lateWhole
  expect([...loading.seen.keys()].filter((name) => !['200 ', '503 database_unavailable later'].includes(name))).toEqual([])
  expect(cluster.running()).toHaveLength(2)
  for (const place of [0, 1]) expect(await cluster.end(place, 'SIGTERM')).toBe(0)
  expect(await charges(url)).toBe(whole)
  expect(await cluster.inconsistencies()).toEqual([])
  await admin.close()
  await cluster.close()
}, 120_000)

test('a node whose wall clock is set by an hour in either direction while it runs stays exact with the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clock-'))
  const file = join(folder, 'ahead')
  writeFileSync(file, new Uint8Array(8))
  const setBy = (ms: number): void => writeFileSync(file, new Uint8Array(new Float64Array([ms]).buffer), { flag: 'r+' })
  const url = await database.createDatabase()
  const cluster = createCluster({ url, size: 2, variables: { CLOCK_FILE: file } })
  const jumping = await cluster.start(0, fromSources(join(import.meta.dir, 'settable-clock.ts')))
  const steady = await cluster.start(1)
  const authorization = await cluster.prepare(upstream)
  for (const server of [jumping, steady]) await until(async () => (await chat(server, authorization)).status === 200)
  const line = new SQL(url, { max: 1 })
  /** How far the newest and the oldest row of the log are from the database's time, in seconds. */
  const rowsOff = async (): Promise<readonly number[]> => {
    const [row] = await line.unsafe(
      'SELECT max(created_at - extract(epoch FROM now()))::int AS ahead, min(created_at - extract(epoch FROM now()))::int AS behind FROM logs WHERE type = 2',
    )
    return [row.ahead, row.behind]
  }
  const loading = load(cluster, authorization)
  for (const ms of [3_600_000, -3_600_000]) {
    setBy(ms)
    const before = loading.whole()
    await until(() => loading.whole() > before + 50)
    // Its rows have the time of its clock.
    expect((await rowsOff()).some((seconds) => Math.abs(seconds - ms / 1000) < 60)).toBe(true)
    // Limits of a minute are counted by the clock of the database: no more than eight, whichever node is called.
    const limited = await cluster.prepare(upstream, { requests_per_minute: 8 })
    for (const server of [jumping, steady]) await until(async () => (await chat(server, limited)).code !== 'token_invalid')
    let allowed = 2
    for (let at = 0; at < 20; at += 1) if ((await chat(at % 2 === 0 ? jumping : steady, limited)).status === 200) allowed += 1
    expect(allowed).toBeWithin(6, 9)
    // A login on one counts on the other.
    const body = JSON.stringify({ username: 'root', password: 'a root password' })
    for (const [from, to] of [
      [jumping, steady],
      [steady, jumping],
    ] as const) {
      const login = await fetch(`${from.url}/api/user/login`, { method: 'POST', body })
      const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
      const self = await fetch(`${to.url}${contract.account.self.path}`, { headers: { cookie } })
      expect(((await self.json()) as { readonly success: boolean }).success).toBe(true)
    }
    // Neither counts as dead.
    expect((await line.unsafe("SELECT id FROM nodes WHERE state = 'live' ORDER BY id")).map(({ id }: { id: string }) => id)).toEqual([
      'node 0',
      'node 1',
    ])
  }
  setBy(0)
  await loading.end()
  await line.close()
  expect([...loading.seen.keys()]).toEqual(['200 '])
  for (const place of [0, 1]) expect(await cluster.end(place, 'SIGTERM')).toBe(0)
  expect(await cluster.inconsistencies()).toEqual([])
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)
