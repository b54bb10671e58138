import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { type SetClock, setClock, until } from '../../../test/channel-scene.ts'
import { chatResponse, json, type Received, type Script } from '../../../test/fake-upstream.ts'
import { numbersFrom } from '../../../test/numbers-from.ts'

let app: TestApp
let clock: SetClock
beforeEach(async () => {
  clock = setClock()
  app = await testApp({ clock })
})
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

type Fields = Readonly<Record<string, unknown>>
const routes = { chat: '/v1/chat/completions', embeddings: '/v1/embeddings' } as const

interface Seen {
  readonly status: number
  readonly code: string | null
  readonly retryAfterMs: number
}

interface Client {
  /** Sends a request that is unlike any earlier one. */
  ask(fields?: Fields, route?: keyof typeof routes): Promise<Seen>
}

let requestNumber = 0

async function client(): Promise<Client> {
  const { key } = await app.make.token(await app.make.user({ quota: 100_000_000 }), { isUnlimited: true })
  return {
    async ask(fields = {}, route = 'chat') {
      requestNumber += 1
      const own =
        route === 'chat' ? { messages: [{ role: 'user', content: `Question ${requestNumber}` }] } : { input: `Text ${requestNumber}` }
      const response = await app.request(routes[route], {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'gpt-4o-mini', ...own, ...fields }),
      })
      // Holds: errors of the relay have this form, and other responses have no such member.
      const { error } = (await response.json()) as { error?: { code: string | null } }
      const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000
      return { status: response.status, code: error?.code ?? null, retryAfterMs }
    },
  }
}

const well = (): Script => json(chatResponse())
const broken = (): Script => json({ error: { message: 'Internal server error' } }, 500)

/** A model server like `transformers serve`: some requests that others refuse make it fail. */
function modelServer({ path, body }: Received): Script {
  if (path !== routes.chat) return json({ detail: 'Not Found' }, 404)
  const { temperature, seed } = JSON.parse(body)
  if (temperature === 'hot') return broken()
  if (temperature === 'huge') return json({ error: { message: 'Request too large' } }, 429)
  if (temperature === 'rude') return json({ error: { message: 'Flagged by moderation' } }, 403)
  if (temperature === 'deadly') return [{ do: 'cut' }]
  if (seed === 'none') return json({ error: { message: 'seed must be a number' } }, 400)
  return well()
}

const many = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

describe("one client's mistakes", () => {
  const mistakes: readonly [string, Fields, keyof typeof routes][] = [
    ['embeddings of a server that has no such route', {}, 'embeddings'],
    ['requests that the server answers with 500', { temperature: 'hot' }, 'chat'],
    ['requests that it refuses with 403', { temperature: 'rude' }, 'chat'],
    ['requests at which it closes the connection', { temperature: 'deadly' }, 'chat'],
  ]
  test.each(mistakes)('%s do not make the model unavailable, not even to that client', async (_, fields, route) => {
    await app.make.channel()
    app.upstream.fallback(modelServer)
    const [bad, good] = [await client(), await client()]
    for (let count = 0; count < 12; count++) {
      expect((await bad.ask(fields, route)).status).not.toBe(200)
      clock.advance(300)
    }
    const chats = await Promise.all(many(16).map((at) => (at % 2 === 0 ? bad : good).ask()))
    expect(chats.map(({ status }) => status)).toEqual(many(16).map(() => 200))
  })

  test('keep only that client from a channel, if it has another one', async () => {
    const [first] = [await app.make.channel({ priority: 1, key: 'key0' }), await app.make.channel({ key: 'key1' })]
    const requestCounts = { key0: 0, key1: 0 }
    app.upstream.fallback((request) => {
      const key = request.headers['authorization'] === 'Bearer key0' ? 'key0' : 'key1'
      requestCounts[key] += 1
      return key === 'key0' ? modelServer(request) : well()
    })
    const [bad, good] = [await client(), await client()]
    for (let count = 0; count < 8; count++) expect((await bad.ask({ temperature: 'hot' })).status).toBe(200)
    expect(requestCounts).toEqual({ key0: 5, key1: 8 })
    const row = { channel: first, kind: 'chat', model: 'gpt-4o-mini', tokens: 1, state: 'open' as const, rest_seconds: 5 }
    expect(await app.data(contract.channel.health, {})).toEqual([row])
    for (let count = 0; count < 4; count++) await good.ask()
    expect(requestCounts).toEqual({ key0: 9, key1: 8 })
  })

  test('of "too many requests" without a time make only that client wait', async () => {
    await app.make.channel()
    app.upstream.fallback(modelServer)
    const [bad, alike, good] = [await client(), await client(), await client()]
    for (const one of [bad, alike]) expect((await one.ask({ temperature: 'huge' })).status).toBe(429)
    expect(await bad.ask()).toMatchObject({ status: 429, retryAfterMs: 1_000 })
    expect((await good.ask()).status).toBe(200)
  })
})

describe('a server that fails', () => {
  test('is not used after failures of different requests of different tokens', async () => {
    const ids = [await app.make.channel({ priority: 1, key: 'key0' }), await app.make.channel({ key: 'key1' })]
    app.upstream.fallback(({ headers }) => (headers['authorization'] === 'Bearer key0' ? broken() : well()))
    const clients = [await client(), await client()]
    for (let count = 0; count < 6; count++) await clients[count % 2]?.ask()
    const row = { channel: ids[0] ?? 0, kind: 'chat', model: 'gpt-4o-mini', tokens: 0, state: 'open' as const, rest_seconds: 5 }
    expect(await app.data(contract.channel.health, {})).toEqual([row])
    await (await client()).ask()
    expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer key1')
  })

  test('stays in use if it is one request that they send again and again', async () => {
    await app.make.channel()
    app.upstream.fallback(broken)
    const clients = [await client(), await client(), await client()]
    const same = { messages: [{ role: 'user', content: 'The same' }] }
    for (let count = 0; count < 12; count++) await clients[count % 3]?.ask(same)
    expect((await app.data(contract.channel.health, {})).filter(({ tokens }) => tokens === 0)).toEqual([])
  })

  test('for chats still makes embeddings', async () => {
    await app.make.channel()
    const usage = { prompt_tokens: 1, total_tokens: 1 }
    app.upstream.fallback(({ path }) => (path === routes.chat ? broken() : json({ data: [{ embedding: [1] }], usage })))
    const clients = [await client(), await client()]
    for (let count = 0; count < 10; count++) await clients[count % 2]?.ask()
    clock.advance(2_500)
    for (let count = 0; count < 4; count++) await clients[count % 2]?.ask()
    expect(await clients[0]?.ask()).toMatchObject({ status: 503, code: 'channels_down' })
    expect((await clients[0]?.ask({}, 'embeddings'))?.status).toBe(200)
  })

  test('is tried by each token once a second if it is the only one, and serves all again after its first good response', async () => {
    await app.make.channel()
    let requestCount = 0
    let response = broken
    app.upstream.fallback(() => {
      requestCount += 1
      return response()
    })
    const clients = [await client(), await client(), await client()]
    for (let count = 0; count < 6; count++) await clients[count % 2]?.ask()
    expect(await clients[0]?.ask()).toMatchObject({ status: 503, code: 'channels_down' })
    for (let second = 0; second < 5; second++) {
      clock.advance(1_001)
      requestCount = 0
      for (let count = 0; count < 30; count++) await clients[count % 3]?.ask()
      expect(requestCount).toBe(3)
    }
    response = well
    clock.advance(1_001)
    expect((await clients[0]?.ask())?.status).toBe(200)
    const all = await Promise.all(many(16).map((at) => clients[at % 3]?.ask()))
    expect(all.map((seen) => seen?.status)).toEqual(many(16).map(() => 200))
  })
})

test('a restarted server serves all clients after its first good response', async () => {
  await app.make.channel()
  const clients = [await client(), await client()]
  expect((await clients[0]?.ask())?.status).toBe(200)
  await app.upstream.stop()
  for (let second = 0; second < 40; second++) {
    for (const one of clients) expect((await one.ask()).status).not.toBe(200)
    clock.advance(500)
  }
  await app.upstream.start()
  clock.advance(1_000)
  expect((await clients[0]?.ask())?.status).toBe(200)
  const all = await Promise.all(many(16).map((at) => clients[at % 2]?.ask()))
  expect(all.map((seen) => seen?.status)).toEqual(many(16).map(() => 200))
  expect(await app.data(contract.channel.health, {})).toEqual([])
})

test('while a server takes long for its first response, the next request is sent too', async () => {
  await app.make.channel()
  const one = await client()
  await app.upstream.stop()
  for (let count = 0; count < 6; count++) await one.ask()
  clock.advance(3_000)
  await one.ask()
  await app.upstream.start()
  clock.advance(1_000)
  app.upstream.script([{ do: 'wait', name: 'first' }, ...well()])
  const before = app.upstream.received.length
  const slow = one.ask()
  await until(
    () => app.data(contract.status.get, {}),
    () => app.upstream.received.length > before,
  )
  expect((await one.ask()).code).toBe('channels_down')
  clock.advance(1_000)
  expect((await one.ask()).status).toBe(200)
  app.upstream.release('first')
  expect((await slow).status).toBe(200)
})

/** Maximum consecutive refusals of a client whose requests are valid and that respects Retry-After. */
const refusalsMax = 1

describe.each([1, 3])('with %p channels, whatever bad clients do', (channelCount) => {
  test(`a good client is refused at most ${refusalsMax} time after an outage, and never without one`, async () => {
    const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    const below = (limit: number): number => Math.floor(random() * limit)
    for (const _ of many(channelCount)) await app.make.channel()
    const outages = {
      well: modelServer,
      failing: broken,
      loading: () => json({ error: { message: 'Loading model' } }, 503),
      stopped: broken,
    }
    type State = keyof typeof outages
    // Holds: `turn` assigns it, which the compiler does not see.
    let state = 'well' as State
    app.upstream.fallback((request) => outages[state](request))

    async function turn(next: State): Promise<void> {
      if (state === 'stopped') await app.upstream.start()
      state = next
      if (state === 'stopped') await app.upstream.stop()
    }

    const bad = await Promise.all(many(6).map(() => client()))
    const good = await Promise.all(many(4).map(async () => ({ client: await client(), waitsUntilMs: 0, refused: 0 })))
    const mistakes: readonly [Fields, keyof typeof routes][] = [
      [{}, 'embeddings'],
      [{ temperature: 'hot' }, 'chat'],
      [{ temperature: 'huge' }, 'chat'],
      [{ temperature: 'rude' }, 'chat'],
      [{ temperature: 'deadly' }, 'chat'],
      [{ seed: 'none' }, 'chat'],
    ]
    let hadOutage = false
    for (let step = 0; step < 400; step++) {
      clock.advance(below(400))
      if (step > 150 && below(25) === 0) {
        await turn((['well', 'well', 'failing', 'loading', 'stopped'] as const)[below(5)] ?? 'well')
        if (state !== 'well') {
          hadOutage = true
          // What happened after the outage before is over, also for who did not ask since.
          for (const one of good) one.refused = 0
        }
      }
      const [fields, route] = mistakes[below(mistakes.length)] ?? [{}, 'chat']
      for (let count = below(3); count > 0; count--) await bad[below(bad.length)]?.ask(fields, route)
      const one = good[below(good.length)]
      if (one === undefined || clock.monotonicMs() < one.waitsUntilMs) continue
      const { status, code, retryAfterMs } = await one.client.ask()
      one.waitsUntilMs = clock.monotonicMs() + retryAfterMs
      if (state !== 'well' || status === 200) {
        one.refused = 0
        continue
      }
      one.refused += 1
      if (one.refused > (hadOutage ? refusalsMax : 0)) throw new Error(`SEED=${seed}: step ${step} was answered with ${status} ${code}`)
    }
    if (state === 'stopped') await app.upstream.start()
  }, 60_000)
})
