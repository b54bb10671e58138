import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { chatResponse, type FakeUpstream, json, startFakeUpstream } from './fake-upstream.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { type PgBouncer, pgbouncer, startPgBouncer } from './pgbouncer.ts'
import { type PostgresServer, sharedPostgres } from './postgres-server.ts'
import { runServer, until } from './server-process.ts'

// Servers behind a real PgBouncer. Debian has it as `pgbouncer`.

let server: PostgresServer
let upstream: FakeUpstream
beforeAll(async () => {
  server = await sharedPostgres()
  upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('hello')))
}, 60_000)
afterAll(async () => {
  await upstream.close()
})

const withPooler = describe.skipIf(pgbouncer === null)

withPooler('PgBouncer in session mode, with its own defaults', () => {
  let url: string
  let pooler: PgBouncer
  let cluster: Cluster
  let authorization: string
  beforeAll(async () => {
    url = await server.createDatabase()
    pooler = await startPgBouncer(url)
    cluster = createCluster({ url: pooler.url, size: 1 })
    await cluster.start(0)
    authorization = await cluster.prepare(upstream)
  }, 60_000)
  afterAll(async () => {
    await cluster.close()
    await pooler.stop()
    await server.dropDatabase(url)
  })

  const chat = async (): Promise<number> => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    return (await fetch(`${cluster.nodeAt(0).url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })).status
  }

  test('a server starts, responds and charges', async () => {
    await until(async () => (await chat()) === 200)
    expect(await cluster.inconsistencies()).toEqual([])
  }, 60_000)

  test('a server goes on by itself after the pooler was killed and started again', async () => {
    await pooler.kill()
    await until(async () => (await chat()) === 503)
    await pooler.start()
    await until(async () => (await chat()) === 200)
    expect(cluster.at(0)).not.toBeNull()
    expect(await cluster.inconsistencies()).toEqual([])
  }, 60_000)
})

withPooler('PgBouncer in transaction mode', () => {
  test('is refused with the reason, and nothing is set for the sessions of others', async () => {
    const url = await server.createDatabase()
    const pooler = await startPgBouncer(url, { pool_mode: 'transaction' })
    for (const args of [[], ['verify', pooler.url], ['admin', 'list-users']]) {
      const { code, text } = await runServer(args, { DATABASE_URL: pooler.url, SLUICE_SECRET: 'a master key for the tests' })
      expect([code, text]).toEqual([1, expect.stringContaining('a pooler in transaction mode')])
    }
    const line = new SQL(pooler.url, { max: 1 })
    const [row] = await line
      .unsafe("SELECT current_setting('default_transaction_read_only') AS off, current_setting('lock_timeout') AS none")
      .simple()
    expect(row).toEqual({ off: 'off', none: '0' })
    await line.close()
    await pooler.stop()
    await server.dropDatabase(url)
  }, 60_000)
})

withPooler('PgBouncer without a free session', () => {
  test.each(['1', '5'])(
    'or with %s of the six that a server needs is named as the reason, before anything is served',
    async (size) => {
      const url = await server.createDatabase()
      const pooler = await startPgBouncer(url, { default_pool_size: size })
      const { code, text } = await runServer([], { DATABASE_URL: pooler.url, SLUICE_SECRET: 'a master key for the tests' })
      expect([code, text]).toEqual([1, expect.stringContaining('default_pool_size')])
      expect(text).not.toContain('listening')
      await pooler.stop()
      await server.dropDatabase(url)
    },
    60_000,
  )
})
