import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { sql } from 'kysely'
import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, chatStream, json, startFakeUpstream } from './fake-upstream.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { type ServerProcess, until } from './server-process.ts'

// What happens to several nodes of one installation at the same moment: changes on one while another serves, and a node that is stopped while
// others need what it has.

const size = 3
/** Longest time until a change at one node applies at all. */
const guaranteedMs = 2_000

let database: PostgresServer
let url: string
let cluster: Cluster
const upstream = await startFakeUpstream()
let authorization = ''
beforeAll(async () => {
  database = await startPostgres()
  url = await database.createDatabase()
  cluster = createCluster({ url, size })
  await Promise.all(Array.from({ length: size }, (_, place) => cluster.start(place)))
  upstream.fallback(() => json(chatResponse('hello')))
  authorization = await cluster.prepare(upstream)
  for (let place = 0; place < size; place += 1) await until(async () => (await chat(nodeAt(place))).status === 200)
}, 120_000)
afterAll(async () => {
  await cluster.close()
  await upstream.close()
  await database.stop()
}, 60_000)

const nodeAt = (place: number): ServerProcess => cluster.nodeAt(place)

const places = Array.from({ length: size }, (_, place) => place)

interface ChatOptions {
  readonly as?: string
  readonly model?: string
  readonly stream?: boolean
  readonly maxTokens?: number
}

const chat = (server: ServerProcess, { as = authorization, model = 'gpt-4o-mini', stream = false, maxTokens = 16 }: ChatOptions = {}) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: as },
    body: JSON.stringify({ model, stream, max_tokens: maxTokens, messages: [{ role: 'user', content: 'hi' }] }),
  })

/** The code of the error of a chat; `ok`: it succeeded. */
async function outcome(server: ServerProcess, options: ChatOptions = {}): Promise<string> {
  const response = await chat(server, options)
  // Holds: a response of the relay is an object, with `error` if it failed.
  const { error } = (await response.json()) as { readonly error?: { readonly code: string } }
  return error === undefined ? 'ok' : error.code
}

async function read<Value>(query: (db: ReturnType<typeof openForReading>['db']) => Promise<Value>): Promise<Value> {
  const { db, close } = openForReading(url)
  try {
    return await query(db)
  } finally {
    await close()
  }
}

async function makeToken(options: object = {}): Promise<{ readonly id: number; readonly as: string }> {
  const { data } = await cluster.call(nodeAt(0), contract.token.create, { name: 't', unlimited_quota: true, ...options })
  // Holds: the response contains the new token with its key.
  const { id, key } = data as { readonly id: number; readonly key: string }
  return { id, as: `Bearer sk-${key}` }
}

/** @returns how long it took */
async function msUntil(condition: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now()
  await until(condition)
  return performance.now() - startMs
}

test('a token that is disabled on one node is refused by the others within two seconds, and admitted again as soon', async () => {
  const { id, as } = await makeToken()
  for (const place of places) await until(async () => (await outcome(nodeAt(place), { as })) === 'ok')
  const setStatus = { ...contract.token.setStatus, path: `${contract.token.setStatus.path}=true` }
  for (const [status, expected] of [
    [2, 'token_disabled'],
    [1, 'ok'],
  ] as const) {
    expect(await cluster.call(nodeAt(0), setStatus, { id, status })).toMatchObject({ success: true })
    const took = await Promise.all(places.map((place) => msUntil(async () => (await outcome(nodeAt(place), { as })) === expected)))
    for (const ms of took) expect(ms).toBeLessThan(guaranteedMs)
  }
}, 60_000)

test('a stream goes on, and is charged, when its token is deleted on another node; the next request is refused', async () => {
  const { id, as } = await makeToken({ unlimited_quota: false, remain_quota: 100_000 })
  await until(async () => (await outcome(nodeAt(1), { as })) === 'ok')
  const whole = chatStream(['one', ' two', ' three'], { promptTokens: 1_000, completionTokens: 50 })
  upstream.script([...whole.slice(0, 3), { do: 'wait', name: 'deleted' }, ...whole.slice(3)])
  const response = await chat(nodeAt(1), { as, stream: true })
  const removed = { ...contract.token.remove, path: contract.token.remove.path.replace(':id', String(id)) }
  expect(await cluster.call(nodeAt(0), removed, {})).toMatchObject({ success: true })
  await until(async () => (await outcome(nodeAt(1), { as })) === 'token_invalid')
  upstream.release('deleted')
  expect(await response.text()).toEndWith('data: [DONE]\n\n')
  const requestId = response.headers.get('x-request-id') ?? ''
  const row = await read((db) => db.selectFrom('logs').selectAll().where('request_id', '=', requestId).executeTakeFirstOrThrow())
  expect(row).toMatchObject({ prompt_tokens: 1_000, completion_tokens: 50 })
  expect(row.quota).toBeGreaterThan(0)
  expect(await cluster.inconsistencies()).toEqual([])
}, 60_000)

test('an option that is set on all nodes at once is the same on all of them afterwards', async () => {
  // Holds: the data of this call are the options.
  const valueAt = async (place: number, key: string): Promise<string | undefined> =>
    ((await cluster.read(nodeAt(place), contract.option.list)) as readonly { key: string; value: string }[]).find(
      (option) => option.key === key,
    )?.value
  for (let round = 0; round < 5; round += 1) {
    const saves = Array.from({ length: 4 * size }, (_, at) =>
      cluster.call(nodeAt(at), contract.option.update, { key: at % 2 === 0 ? 'SystemName' : 'Footer', value: `${round} ${at}` }),
    )
    expect(new Set((await Promise.all(saves)).map(({ success }) => success))).toEqual(new Set([true]))
    for (const key of ['SystemName', 'Footer']) {
      const { value } = await read((db) => db.selectFrom('options').select('value').where('key', '=', key).executeTakeFirstOrThrow())
      await until(async () => (await Promise.all(places.map((place) => valueAt(place, key)))).every((one) => one === value))
    }
  }
}, 60_000)

test('a hundred channels are changed on one node while the others serve by them: no request fails, and then all go the new way', async () => {
  const elsewhere = await startFakeUpstream()
  elsewhere.fallback(() => json(chatResponse('elsewhere')))
  const model = 'of-many-channels'
  const done = async (called: ReturnType<Cluster['call']>): Promise<void> => expect(await called).toMatchObject({ success: true })
  await done(cluster.call(nodeAt(0), contract.option.update, { key: 'UnpricedModelRatio', value: '1' }))
  const keys = Array.from({ length: 100 }, (_, at) => `key-${at}`)
  const channel = { name: 'many', type: 1, models: model, base_url: upstream.url }
  await Promise.all(keys.map((key) => done(cluster.call(nodeAt(0), contract.channel.create, { ...channel, key }))))
  const rows = await read((db) => db.selectFrom('channels').select('id').where('models', '=', model).execute())
  expect(rows).toHaveLength(keys.length)
  for (const place of places) await until(async () => (await outcome(nodeAt(place), { model })) === 'ok')
  let isOver = false
  const seen = new Set<string>()
  const serving = [1, 2, 1, 2].map(async (place) => {
    while (!isOver) seen.add(await outcome(nodeAt(place), { model }))
  })
  // Another address wants its key anew.
  const change = (id: number, at: number) => ({ id, base_url: elsewhere.url, key: `new-key-${at}`, priority: at % 3, weight: at })
  await Promise.all(rows.map(({ id }, at) => done(cluster.call(nodeAt(0), contract.channel.update, change(id, at)))))
  const countOld = (): number => upstream.received.filter(({ body }) => body.includes(model)).length
  // Each node has looked at the channels again: none of so many requests goes the old way.
  await until(async () => {
    const before = countOld()
    await Promise.all(Array.from({ length: 60 }, (_, at) => outcome(nodeAt(at), { model })))
    return countOld() === before
  })
  isOver = true
  await Promise.all(serving)
  expect([...seen]).toEqual(['ok'])
  expect(elsewhere.received.length).toBeGreaterThan(0)
  expect(await cluster.inconsistencies()).toEqual([])
  await elsewhere.close()
}, 60_000)

/** The place of the node that does the scheduled work, once there is one. */
async function ownerPlace(): Promise<number> {
  let owner = -1
  await until(async () => {
    const { rows } = await read((db) => sql<{ node: string }>`SELECT node FROM job_owners WHERE name = 'scheduled work'`.execute(db))
    owner = Number(/^node (\d+) /.exec(rows[0]?.node ?? '')?.[1] ?? -1)
    return owner >= 0
  })
  return owner
}

test('an account runs four concurrent requests whose cost has no bound, over all nodes together', async () => {
  const model = 'model-without-a-context'
  await cluster.call(nodeAt(0), contract.channel.create, { name: 'm', type: 1, key: 'k', models: model, base_url: upstream.url })
  await cluster.call(nodeAt(0), contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  for (const place of places) await until(async () => (await chat(nodeAt(place), { model })).status === 200)
  const tools = [{ type: 'mcp', server_label: 'x', server_url: 'https://mcp.example' }]
  const body = JSON.stringify({ model, max_output_tokens: 16, input: 'hi', tools })
  const ask = async (place: number): Promise<number> => {
    const headers = { authorization }
    return (await fetch(`${nodeAt(place).url}/v1/responses`, { method: 'POST', headers, body })).status
  }
  upstream.fallback(() => [{ do: 'wait', name: 'unbounded' }, ...json({ id: 'resp_1', object: 'response', output: [] })])
  const before = upstream.received.length
  const refused: number[] = []
  const pending = Array.from({ length: 24 }, (_, place) => ask(place).then((status) => void (status === 429 && refused.push(status))))
  await until(() => refused.length === 20)
  expect(upstream.received.length - before).toBe(4)
  upstream.release('unbounded')
  await Promise.all(pending)
  expect(refused).toHaveLength(20)
  upstream.fallback(() => json(chatResponse('hello')))
}, 60_000)

test('a node is stopped while it does the scheduled work and has most of a small balance: nothing is refused for good, and another takes both over', async () => {
  const owner = await ownerPlace()
  const price = await priceOf(1_000)
  // Covers one large request and a half.
  const { as } = await makeToken({ unlimited_quota: false, remain_quota: Math.floor(price * 1.5) })
  for (const place of places) await until(async () => (await outcome(nodeAt(place), { as, maxTokens: 1 })) === 'ok')
  upstream.script([{ do: 'wait', name: 'stopped' }, ...json(chatResponse('hello'))])
  const before = upstream.received.length
  const stopped = nodeAt(owner)
  const pending = chat(stopped, { as, maxTokens: 1_000 }).then(
    ({ status }) => status,
    () => 0,
  )
  await until(() => upstream.received.length > before)
  stopped.signal('SIGSTOP')
  const startMs = performance.now()
  const seen = new Set<string>()
  // One other node asks: what it has reserved itself would be a reason for a third one to refuse.
  const served = (async (): Promise<void> => {
    for (;;) {
      const response = await chat(nodeAt(owner + 1), { as, maxTokens: 1_000 })
      if (response.ok) return
      const { error } = (await response.json()) as { readonly error: { readonly code: string } }
      seen.add(`${response.status} ${error.code}`)
    }
  })()
  const replacedMs = await msUntil(async () => (await ownerPlace()) !== owner)
  await served
  const servedMs = performance.now() - startMs
  console.log(`scheduled work was taken over after ${Math.round(replacedMs)} ms, the balance after ${Math.round(servedMs)} ms`)
  expect([...seen]).toEqual(['503 database_unavailable'])
  upstream.release('stopped')
  stopped.signal('SIGCONT')
  expect(await stopped.exited).toBe(75)
  expect(await pending).not.toBe(200)
  await cluster.start(owner)
  expect(await cluster.inconsistencies()).toEqual([])
}, 90_000)

/** What a request with this many tokens of output reserves. */
async function priceOf(maxTokens: number): Promise<number> {
  const { as } = await makeToken()
  upstream.script([{ do: 'wait', name: 'priced' }, ...json(chatResponse('hello'))])
  const pending = chat(nodeAt(0), { as, maxTokens })
  const held = () => read((db) => db.selectFrom('holds').select('amount').executeTakeFirst())
  await until(async () => (await held()) !== undefined)
  const amount = (await held())?.amount ?? 0
  upstream.release('priced')
  await pending
  return amount
}
