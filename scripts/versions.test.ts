import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openForReading } from '../apps/server/src/db/open-beside.ts'
import { chatResponse, chatStream, json, startFakeUpstream } from '../apps/server/test/fake-upstream.ts'
import { type Cluster, createCluster } from '../apps/server/test/node-cluster.ts'
import { type PostgresServer, startPostgres } from '../apps/server/test/postgres-server.ts'
import { fromSources, type ServerProcess, until } from '../apps/server/test/server-process.ts'
import { builtExecutable } from './built-executable.ts'

// Two versions on one database, as during an upgrade: the executable of now, and a later version that has added to the tables.

const later = fromSources(join(import.meta.dir, '../apps/server/test/later-version.ts'))
const clients = 6

let executable: readonly string[] = []
let database: PostgresServer
let upstream: Awaited<ReturnType<typeof startFakeUpstream>>
beforeAll(async () => {
  executable = [await builtExecutable()]
  database = await startPostgres()
  upstream = await startFakeUpstream()
  upstream.fallback(({ body }) => (body.includes('"stream":true') ? chatStream(['one', ' two', ' three']) : json(chatResponse('one two'))))
}, 120_000)
afterAll(async () => {
  await upstream.close()
  await database.stop()
})

interface Balancer {
  /** Responses of each server. */
  readonly served: Map<ServerProcess, number>
  /** What clients got that was no whole response. */
  readonly failures: string[]
  /** Ends the load, and resolves when the last response has ended. @returns how many responses were whole */
  end(): Promise<number>
}

/** Clients that ask one server after the other, but only those that said lately that they are ready, as a balancer does. */
function balance(cluster: Cluster, authorization: string): Balancer {
  const served = new Map<ServerProcess, number>()
  const failures: string[] = []
  let ready: readonly ServerProcess[] = []
  let isOver = false
  let requestCount = 0
  let whole = 0

  const isReady = (server: ServerProcess): Promise<boolean> =>
    fetch(`${server.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )

  /** Asks each server by itself, so that one that is slow to respond does not keep another in the list that has ended. */
  async function look(): Promise<void> {
    const watched = new Map<ServerProcess, Promise<void>>()
    while (!isOver) {
      for (const server of cluster.running()) if (!watched.has(server)) watched.set(server, watch(server))
      await Bun.sleep(20)
    }
    await Promise.all(watched.values())
  }

  async function watch(server: ServerProcess): Promise<void> {
    let hasExited = false
    void server.exited.then(() => {
      hasExited = true
    })
    while (!isOver && !hasExited) {
      const isListed = await isReady(server)
      ready = [...ready.filter((other) => other !== server), ...(isListed ? [server] : [])]
      await Bun.sleep(20)
    }
  }

  async function ask(server: ServerProcess, number: number): Promise<void> {
    const isStream = number % 2 === 0
    const body = JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] })
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })
    const text = await response.text()
    if (!response.ok || !(isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}'))) throw new Error(text)
    whole += 1
    served.set(server, (served.get(server) ?? 0) + 1)
  }

  async function client(): Promise<void> {
    while (!isOver) {
      requestCount += 1
      const server = ready[requestCount % ready.length]
      if (server === undefined) await Bun.sleep(5)
      else await ask(server, requestCount).catch((error: unknown) => failures.push(String(error)))
    }
  }

  const work = Promise.all([look(), ...Array.from({ length: clients }, client)])
  return {
    served,
    failures,
    async end() {
      isOver = true
      await work
      return whole
    },
  }
}

test('a rolling upgrade and its taking back, under load, lose nothing and refuse nothing', async () => {
  const url = await database.createDatabase()
  const cluster = createCluster({ url, size: 3, variables: { SHUTDOWN_DELAY_MS: '2000' } })
  const replace = async (place: number, program: readonly string[]): Promise<ServerProcess> => {
    expect(await cluster.end(place, 'SIGTERM')).toBe(0)
    return await cluster.start(place, program)
  }
  const first = await cluster.start(0, executable)
  const second = await cluster.start(1, executable)
  const { served, failures, end } = balance(cluster, await cluster.prepare(upstream))
  const haveServed = (servers: readonly ServerProcess[], more = 30): Promise<void> => {
    const goals = servers.map((server) => [server, (served.get(server) ?? 0) + more] as const)
    return until(() => failures.length > 0 || goals.every(([server, goal]) => (served.get(server) ?? 0) >= goal))
  }
  await haveServed([first, second])
  // The later version changes the tables while the earlier one serves.
  const third = await cluster.start(2, later)
  await haveServed([first, second, third])
  await haveServed([await replace(0, later), second, third])
  await haveServed([await replace(1, later), third])
  // The earlier version starts on the changed tables.
  await haveServed([await replace(2, executable), await replace(0, executable)])
  const whole = await end()
  expect(failures).toEqual([])
  expect(await Promise.all([0, 1, 2].map((place) => cluster.end(place, 'SIGTERM')))).toEqual([0, 0, 0])

  const { db, close } = openForReading(url)
  const charges = await db.selectFrom('ledger').select('ref').where('kind', '=', 'consume').execute()
  await close()
  expect(charges.length).toBe(whole)
  const line = new SQL(url, { max: 1 })
  expect((await line.unsafe("SELECT 1 FROM logs WHERE added = 'by the later version' LIMIT 1")).length).toBe(1)
  await line.close()
  expect(await cluster.inconsistencies()).toEqual([])
  await cluster.close()
}, 120_000)

test('a start that others keep from changing the tables, because each waits for the other, tries again', async () => {
  const url = await database.createDatabase()
  const cluster = createCluster({ url, size: 1 })
  await cluster.start(0, executable)
  await cluster.end(0, 'SIGTERM')
  const [other, watcher] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })]
  // The start finds it out, not this one.
  await other.unsafe("SET deadlock_timeout = '1min'")
  await other.unsafe('BEGIN')
  await other.unsafe('LOCK TABLE tokens IN ROW EXCLUSIVE MODE')
  const starting = cluster.start(0, later)
  await until(async () => (await watcher.unsafe('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0)
  await other.unsafe('LOCK TABLE logs IN ROW EXCLUSIVE MODE')
  await other.unsafe('COMMIT')
  expect((await starting).printed()).toContain('migration retried, tables are in use')
  await cluster.close()
  await Promise.all([other.close(), watcher.close()])
}, 60_000)
