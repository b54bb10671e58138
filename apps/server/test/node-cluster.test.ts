import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { nodesSoak } from './nodes-soak.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { findServer, nginxArguments, startProxyProcess, withPlaces } from './proxy-process.ts'
import { runServer, type ServerProcess, until } from './server-process.ts'

// Server processes on one PostgreSQL database: to clients and administrators they are one installation.

const size = 3
const nginx = findServer('nginx')

let database: PostgresServer
let url: string
let cluster: Cluster
const upstream = await startFakeUpstream()
let authorization = ''
beforeAll(async () => {
  database = await startPostgres()
  url = await database.createDatabase()
  cluster = createCluster({ url, size })
  // All at once, on an empty database.
  await Promise.all(Array.from({ length: size }, (_, place) => cluster.start(place)))
  authorization = await cluster.prepare(upstream)
}, 120_000)
afterAll(async () => {
  await cluster.close()
  await upstream.close()
  await database.stop()
}, 60_000)

const nodeAt = (place: number): ServerProcess => cluster.nodeAt(place)

const chat = (server: ServerProcess, as = authorization): Promise<Response> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: as },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  })

async function read<Value>(query: (db: ReturnType<typeof openForReading>['db']) => Promise<Value>): Promise<Value> {
  const { db, close } = openForReading(url)
  try {
    return await query(db)
  } finally {
    await close()
  }
}

test('nodes that start at once on an empty database have one first account, and each responds by what another one stored', async () => {
  expect(await read((db) => db.selectFrom('users').select(['username', 'quota']).execute())).toHaveLength(1)
  upstream.fallback(() => json(chatResponse('hello')))
  for (let place = 0; place < size; place += 1) {
    await until(async () => (await chat(nodeAt(place))).status === 200)
  }
}, 60_000)

test('a code that is redeemed on all nodes at once is credited once', async () => {
  const response = await cluster.call(nodeAt(0), contract.redemption.create, { name: 'gift', quota: 1_000, count: 3 })
  const before = await read((db) => db.selectFrom('users').select('quota').where('id', '=', 1).executeTakeFirstOrThrow())
  // Holds: the response is the list of the codes.
  const keys = response.data as readonly string[]
  const tries = keys.flatMap((key) =>
    Array.from({ length: size }, (_, place) => cluster.call(nodeAt(place), contract.redemption.redeem, { key })),
  )
  expect((await Promise.all(tries)).filter(({ success }) => success)).toHaveLength(keys.length)
  const after = await read((db) => db.selectFrom('users').select('quota').where('id', '=', 1).executeTakeFirstOrThrow())
  expect(after.quota - before.quota).toBe(3_000)
}, 60_000)

test('an invitation is rewarded once for each new account, whichever nodes get its registrations at once', async () => {
  const rewards = { QuotaForNewUser: '0', QuotaForInvitee: '200', QuotaForInviter: '50' }
  for (const [key, value] of Object.entries(rewards)) await cluster.call(nodeAt(0), contract.option.update, { key, value })
  // Holds: the data of these calls are the options, and a code.
  const optionsAt = async (place: number) =>
    (await cluster.read(nodeAt(place), contract.option.list)) as readonly { key: string; value: string }[]
  for (let place = 0; place < size; place += 1)
    await until(async () => (await optionsAt(place)).some(({ key, value }) => key === 'QuotaForInviter' && value === '50'))
  const aff_code = await cluster.read(nodeAt(0), contract.account.inviteCode)
  const quotaOf = (username: string) =>
    read((db) => db.selectFrom('users').select('quota').where('username', '=', username).executeTakeFirstOrThrow())
  const before = await quotaOf('root')
  const names = ['ann', 'bob', 'eve']
  const tries = names.flatMap((username) =>
    Array.from({ length: size }, (_, place) =>
      cluster.call(nodeAt(place), contract.account.register, { username, password: 'a good password', aff_code }),
    ),
  )
  expect((await Promise.all(tries)).filter(({ success }) => success)).toHaveLength(names.length)
  for (const name of names) expect(await quotaOf(name)).toEqual({ quota: 200 })
  expect((await quotaOf('root')).quota - before.quota).toBe(50 * names.length)
}, 60_000)

test('quota that administrators add on all nodes at once is cumulative', async () => {
  const before = await read((db) => db.selectFrom('users').select('quota').where('id', '=', 1).executeTakeFirstOrThrow())
  const added = Array.from({ length: 30 }, (_, place) => cluster.call(nodeAt(place), contract.user.topUp, { user_id: 1, quota: 10 }))
  expect(new Set((await Promise.all(added)).map(({ success }) => success))).toEqual(new Set([true]))
  const after = await read((db) => db.selectFrom('users').select('quota').where('id', '=', 1).executeTakeFirstOrThrow())
  expect(after.quota - before.quota).toBe(300)
}, 60_000)

test('as many requests of a token run at once as its limit allows, over all nodes', async () => {
  const busy = await cluster.prepare(upstream, { requests_at_once: 2 })
  const before = upstream.received.length
  upstream.fallback(() => [{ do: 'wait', name: 'held' }, ...json(chatResponse('hello'))])
  const pending = Array.from({ length: 12 }, (_, place) => chat(nodeAt(place), busy))
  const statuses: number[] = []
  const collecting = pending.map(async (response) => void statuses.push((await response).status))
  await until(() => statuses.length === 10 && upstream.received.length === before + 2)
  expect(new Set(statuses)).toEqual(new Set([429]))
  upstream.release('held')
  upstream.fallback(() => json(chatResponse('hello')))
  await Promise.all(collecting)
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
}, 60_000)

test('a second server of the same name is refused with a message, and so is a command that needs the database alone', async () => {
  const variables = { DATABASE_URL: url, SLUICE_SECRET: 'a secret that all nodes know' }
  const second = await runServer([], { ...variables, NODE_ID: 'node 1' })
  expect([second.code, second.text]).toEqual([1, expect.stringContaining('another server with the name node 1 is using this database')])
  expect(second.text).not.toContain('.ts')
  const rotated = await runServer(['admin', 'rotate-secret', '--yes'], { ...variables, SLUICE_SECRET_NEXT: 'another secret of the nodes' })
  expect([rotated.code, rotated.text]).toEqual([1, expect.stringContaining('another process is using this database')])
}, 60_000)

test('a node that was stopped for longer than its heartbeat may be silent ends itself, and nothing of it counts twice', async () => {
  const stopped = nodeAt(2)
  upstream.fallback(() => [{ do: 'wait', name: 'asleep' }, ...json(chatResponse('hello'))])
  const before = upstream.received.length
  const response = chat(stopped).then(
    ({ status }) => status,
    () => 0,
  )
  await until(() => upstream.received.length > before)
  stopped.signal('SIGSTOP')
  await until(async () =>
    read(
      async (db) =>
        (await db.selectFrom('nodes').select('epoch').where('id', '=', 'node 2').where('state', '=', 'dead').execute()).length > 0,
    ),
  )
  upstream.release('asleep')
  upstream.fallback(() => json(chatResponse('hello')))
  stopped.signal('SIGCONT')
  expect(await stopped.exited).toBe(75)
  expect(await response).not.toBe(200)
  await cluster.start(2)
  expect((await chat(nodeAt(2))).status).toBe(200)
  expect(await cluster.inconsistencies()).toEqual([])
}, 90_000)

test('a task request that a killed node was sending is ended by another one soon, and reserves nothing any more', async () => {
  await cluster.call(nodeAt(0), contract.channel.create, { name: 'films', type: 48, key: 'k', models: 'sora-2', base_url: upstream.url })
  const isVideo = (path: string): boolean => path.includes('/videos')
  upstream.fallback(({ path }) => (isVideo(path) ? [{ do: 'wait', name: 'ordered' }, { do: 'cut' }] : json(chatResponse('hello'))))
  const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4' })
  const headers = { authorization, 'content-type': 'application/json' }
  const isAtVendor = (): boolean => upstream.received.some(({ path }) => isVideo(path))
  const { url: address } = nodeAt(1)
  // Refused until the node knows the channel.
  const create = async (): Promise<void> => {
    while (!isAtVendor()) await fetch(`${address}/v1/videos`, { method: 'POST', headers, body }).catch(() => null)
  }
  const created = create()
  await until(isAtVendor)
  await cluster.end(1, 'SIGKILL')
  await created
  await until(async () => {
    const rows = await read((db) => db.selectFrom('tasks').select(['stage', 'state']).execute())
    return rows.some(({ stage, state }) => stage === 'ended' && state === 'failed')
  })
  expect(await read((db) => db.selectFrom('holds').select('request_id').where('task_id', '<>', '').execute())).toEqual([])
  upstream.release('ordered')
  await cluster.start(1)
  expect(await cluster.inconsistencies()).toEqual([])
}, 90_000)

describe('a video that is reported as done to two nodes at the same time', () => {
  const videos = (path: string): boolean => path.startsWith('/fal-ai/')
  let createRequests = 0
  /** Questions about the last video that wait for their response. */
  let open = 0

  beforeAll(async () => {
    await cluster.call(nodeAt(0), contract.option.update, { key: 'ServerAddress', value: 'https://gateway.example.com' })
    await cluster.call(nodeAt(0), contract.channel.create, { name: 'fal', type: 44, key: 'k', models: 'pika-2.2', base_url: upstream.url })
    upstream.fallback(({ method, path }) => {
      if (!videos(path)) return json(chatResponse('hello'))
      if (method === 'POST') return json({ request_id: `film-${++createRequests}`, status: 'IN_QUEUE' })
      if (method === 'PUT') return json({ status: 'OK' })
      if (!path.endsWith('/status')) return json({ video: { url: `${upstream.url}/film.mp4`, content_type: 'video/mp4' } })
      open += 1
      return [{ do: 'wait', name: `film-${createRequests}` }, ...json({ status: 'COMPLETED' })]
    })
  })

  /** Creates a video; then one node polls it because it is due, and another one because of the vendor's webhook. */
  async function pollTwice(): Promise<string> {
    open = 0
    const headers = { authorization, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'pika-2.2', prompt: 'A cat', seconds: '5', size: '1280x720' })
    let id = ''
    // Refused until the node knows the channel.
    await until(async () => {
      const response = await fetch(`${nodeAt(0).url}/v1/videos`, { method: 'POST', headers, body })
      // Holds: a video has an id, an error none.
      id = ((await response.json()) as { readonly id?: string }).id ?? ''
      return response.ok
    })
    await until(() => open === 1)
    const { path = '' } = upstream.received.findLast((request) => request.method === 'POST' && videos(request.path)) ?? {}
    const webhook = new URL(new URL(path, upstream.url).searchParams.get('fal_webhook') ?? '')
    // A node that is asking about it does not ask again: the others hear of it too.
    await until(async () => {
      const responses = [0, 1, 2].map((place) =>
        fetch(`${nodeAt(place).url}${webhook.pathname}${webhook.search}`, { method: 'POST', body: '{}' }),
      )
      await Promise.all(responses)
      return open > 1
    })
    return id
  }

  /** What became of it: its state, its charges, and what is still reserved for it. */
  const outcome = (id: string) =>
    read(async (db) => {
      const task = await db.selectFrom('tasks').select(['state', 'request_id']).where('public_id', '=', id).executeTakeFirstOrThrow()
      const holds = await db.selectFrom('holds').select('request_id').where('task_id', '=', id).execute()
      const charges = await db
        .selectFrom('ledger')
        .select('amount')
        .where('ref', '=', task.request_id)
        .where('kind', '=', 'consume')
        .execute()
      const rows = await db.selectFrom('logs').select('quota').where('request_id', '=', task.request_id).execute()
      return {
        state: task.state,
        holds: holds.length,
        charges: charges.map(({ amount }) => Number(amount)),
        rows: rows.map(({ quota }) => quota),
      }
    })

  const paidOnce = { state: 'completed', holds: 0, charges: [-100_000], rows: [100_000] }

  test('is paid for once', async () => {
    const id = await pollTwice()
    upstream.release(`film-${createRequests}`)
    await until(async () => (await outcome(id)).rows.length > 0)
    expect(await outcome(id)).toEqual(paidOnce)
    expect(await cluster.inconsistencies()).toEqual([])
  }, 90_000)

  test('is free, and stays free, when a third one has canceled it before they get the response', async () => {
    const id = await pollTwice()
    const stopped = await fetch(`${nodeAt(2).url}/v1/tasks/${id}/cancel`, { method: 'POST', headers: { authorization } })
    expect([stopped.status, ((await stopped.json()) as { readonly status?: string }).status]).toEqual([200, 'cancelled'])
    upstream.release(`film-${createRequests}`)
    await until(async () => (await outcome(id)).rows.length > 0)
    expect(await outcome(id)).toEqual({ state: 'cancelled', holds: 0, charges: [], rows: [0] })
    // Both outcomes are settled once the next video has been polled.
    const next = await pollTwice()
    upstream.release(`film-${createRequests}`)
    await until(async () => (await outcome(next)).rows.length > 0)
    expect([await outcome(id), await outcome(next)]).toEqual([{ state: 'cancelled', holds: 0, charges: [], rows: [0] }, paidOnce])
    expect(await cluster.inconsistencies()).toEqual([])
  }, 90_000)

  test('is paid for once, although one of them is killed before it gets the response', async () => {
    const id = await pollTwice()
    await cluster.end(0, 'SIGKILL')
    upstream.release(`film-${createRequests}`)
    await until(async () => (await outcome(id)).rows.length > 0)
    await cluster.start(0)
    expect(await outcome(id)).toEqual(paidOnce)
    expect(await cluster.inconsistencies()).toEqual([])
  }, 90_000)
})

test.skipIf(nginx === null)(
  'behind the balancer of the deployment no request fails because a node is killed, except those that it was serving',
  async () => {
    upstream.fallback(() => json(chatResponse('hello')))
    const folder = mkdtempSync(join(tmpdir(), 'sluice-balancer-'))
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const { port } = listener
    listener.stop(true)
    const configuration = withPlaces(readFileSync(join(import.meta.dir, '../../../deploy/nginx.conf'), 'utf8'), [
      ['sluice:3000 ', `127.0.0.1:${nodeAt(0).port} `],
      ['sluice-2:3000', `127.0.0.1:${nodeAt(1).port}`],
      ['listen 8080', `listen 127.0.0.1:${port}`],
    ])
    const balancer = await startProxyProcess({ program: nginx, args: nginxArguments(folder, configuration), port, folder })
    const behind = { ...nodeAt(0), url: `http://127.0.0.1:${port}` }
    const askMany = async () => (await Promise.all(Array.from({ length: 40 }, () => chat(behind)))).map(({ status }) => status)
    expect(new Set(await askMany())).toEqual(new Set([200]))
    await cluster.end(1, 'SIGKILL')
    for (let round = 0; round < 5; round += 1) expect(new Set(await askMany())).toEqual(new Set([200]))
    await cluster.start(1)
    await balancer.stop()
    rmSync(folder, { recursive: true, force: true })
    expect(await cluster.inconsistencies()).toEqual([])
  },
  90_000,
)

test('whatever happens to nodes and database, what clients saw whole is charged once, and the books are consistent', async () => {
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  const report = await nodesSoak({ database, seconds: Number(process.env['NODES_SECONDS'] ?? 180), seed, size, rate: 30 })
  console.log(report.deeds)
  expect(report.wrong).toEqual([])
  expect(report.whole).toBeGreaterThan(50)
}, 600_000)
