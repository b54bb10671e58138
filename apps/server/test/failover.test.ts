import { expect, test } from 'bun:test'
import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { createCluster } from './node-cluster.ts'
import { nodesSoak } from './nodes-soak.ts'
import { startPostgresPair } from './postgres-pair.ts'
import { until } from './server-process.ts'

// PostgreSQL's primary is lost, and its streaming standby takes over behind the same address. What was committed is never lost if commits wait
// for the standby; otherwise the last of it is, and the servers that know more than the new primary end.

test('with a synchronous standby a failover under load loses no charge, and the nodes go on', async () => {
  const pair = await startPostgresPair({ isSynchronous: true })
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  const size = 2
  const failover = async (): Promise<void> => {
    await pair.kill()
    await pair.start()
  }
  const { wrong, unended } = await nodesSoak({ database: pair, seed, size, only: { fault: failover, responses: 100 } })
  expect(wrong).toEqual([])
  // None ended because it missed something.
  expect(unended).toBe(size)
  await pair.stop()
}, 120_000)

/** One node on the pair, and a chat of it. */
async function startScene({ isSynchronous }: { readonly isSynchronous: boolean }) {
  const pair = await startPostgresPair({ isSynchronous })
  const url = await pair.createDatabase()
  const cluster = createCluster({ url, size: 1 })
  const upstream = await startFakeUpstream()
  upstream.fallback(() => json(chatResponse('hello')))
  const server = await cluster.start(0)
  const authorization = await cluster.prepare(upstream)
  const chat = async (to = server): Promise<number> => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    return (await fetch(`${to.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })).status
  }
  await until(async () => (await chat()) === 200)
  return {
    ...{ pair, cluster, upstream, server, chat },
    async charges(): Promise<number> {
      const { db, close } = openForReading(url)
      const rows = await db.selectFrom('ledger').select('ref').where('kind', '=', 'consume').execute()
      await close()
      return rows.length
    },
    /** Processes of PostgreSQL that serve the ledger of the node, and whether each waits for the standby or for another one that does. */
    async ledgerSessions(): Promise<readonly { readonly pid: number; readonly waits: boolean }[]> {
      const line = new Bun.SQL(url, { max: 1 })
      const rows = await line.unsafe(
        "SELECT pid, coalesce(wait_event = 'SyncRep' OR wait_event_type = 'Lock', false) AS waits FROM pg_stat_activity WHERE application_name LIKE 'sluice ledger%'",
      )
      await line.close()
      return rows
    },
    async stop() {
      await cluster.close()
      await upstream.close()
      await pair.stop()
    },
  }
}

test('a charge that a synchronous standby does not have is not confirmed to the client, even if the node has reconnected meanwhile', async () => {
  const scene = await startScene({ isSynchronous: true })
  const { pair, cluster } = scene
  const before = await scene.charges()
  const [first] = await scene.ledgerSessions()
  pair.part()
  let responded: number | null = null
  const response = scene.chat().then((status) => {
    responded = status
  })
  // The node takes the database for hanging, ends its session, and finds its charge in the next one.
  await until(async () => responded !== null || (await scene.ledgerSessions()).some(({ pid, waits }) => pid !== first?.pid && waits))
  expect(responded).toBeNull()
  await pair.kill()
  await pair.start()
  await response
  expect(responded as number | null).toBe(200)
  expect(await scene.charges()).toBe(before + 1)
  expect(await cluster.inconsistencies()).toEqual([])
  await scene.stop()
}, 120_000)

test('without one the last charges are lost with the primary, and a node that made one of them ends and starts again with audio books', async () => {
  const scene = await startScene({ isSynchronous: false })
  const { pair, cluster, server } = scene
  const before = await scene.charges()
  pair.part()
  expect(await scene.chat()).toBe(200)
  await pair.kill()
  await pair.start()
  expect(await server.exited).toBe(75)
  expect(server.printed()).toContain('the database has lost transactions that it had committed')
  expect(await scene.charges()).toBe(before)
  const again = await cluster.start(0)
  await until(async () => (await scene.chat(again)) === 200)
  expect(await scene.charges()).toBe(before + 1)
  expect(await cluster.inconsistencies()).toEqual([])
  await scene.stop()
}, 120_000)
