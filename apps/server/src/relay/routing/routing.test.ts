import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { type SetClock, setClock, setOptions, until } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, type Received, type Script } from '../../../test/fake-upstream.ts'

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

interface Planned {
  readonly response: (request: Received) => Script
  readonly priority?: number
}

/** Channels of one account, each with its own responses. */
async function scene(...planned: readonly Planned[]) {
  const user = await app.make.user({ quota: 100_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ids: number[] = []
  for (const [index, { priority = 0 }] of planned.entries()) ids.push(await app.make.channel({ key: `key${index}`, priority }))
  const requestCounts = planned.map(() => 0)
  app.upstream.fallback((request) => {
    const index = planned.findIndex((_, at) => request.headers['authorization'] === `Bearer key${at}`)
    requestCounts[index] = (requestCounts[index] ?? 0) + 1
    return planned[index]?.response(request) ?? []
  })
  async function ask(more: Readonly<Record<string, unknown>> = {}) {
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, attempts: Number(headers.get('x-attempts')), retryAfter: headers.get('retry-after'), text }
  }
  return { ask, requestCounts, ids, user }
}

const total = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0)
const well = () => json(chatResponse())
const broken = () => json({ error: { message: 'broken' } }, 500)
const slowDown = (retryAfter: string | null) => () =>
  json({ error: { message: 'slow down' } }, 429, retryAfter === null ? {} : { 'retry-after': retryAfter })

describe('a channel that is rate limited (F20)', () => {
  test.each([
    ['7', 7],
    ['600', 60],
    ['1000000000', 60],
    [new Date(1_800_000_000_000 + 20_000).toUTCString(), 20],
    [null, 1],
    ['-5', 1],
    ['soon', 1],
    ['1.5', 2],
  ])('that sends Retry-After %p gets no requests for %p seconds, and the client gets the remaining time', async (header, seconds) => {
    const { ask, requestCounts } = await scene({ response: slowDown(header) })
    expect((await ask()).status).toBe(429)
    clock.advance(500)
    const refused = await ask()
    expect([refused.status, refused.retryAfter, refused.attempts]).toEqual([429, String(seconds), 0])
    expect(requestCounts).toEqual([1])
    clock.advance(seconds * 1000 - 501)
    await ask()
    expect(requestCounts).toEqual([1])
    clock.advance(2)
    await ask()
    expect(requestCounts).toEqual([2])
  })

  test('gets no requests while others are available', async () => {
    const { ask, requestCounts } = await scene({ response: slowDown('30'), priority: 1 }, { response: well })
    for (let count = 0; count < 10; count++) expect((await ask()).status).toBe(200)
    expect(requestCounts).toEqual([1, 10])
    clock.advance(30_001)
    await ask()
    expect(requestCounts).toEqual([2, 11])
  })

  test('returns the shortest Retry-After if all channels are', async () => {
    const { ask } = await scene({ response: slowDown('30'), priority: 1 }, { response: slowDown('10') })
    await ask()
    const { status, retryAfter } = await ask()
    expect([status, retryAfter]).toEqual([429, '10'])
  })
})

describe('a channel that fails', () => {
  test('gets no requests after five failures in a row, and is used again after a while', async () => {
    const { ask, requestCounts, ids } = await scene({ response: broken, priority: 1 }, { response: well })
    for (let count = 0; count < 20; count++) expect((await ask()).status).toBe(200)
    expect(requestCounts).toEqual([5, 20])
    expect(await app.data(contract.channel.health, {})).toEqual([
      { channel: ids[0] ?? 0, kind: 'chat', model: 'gpt-4o-mini', tokens: 1, state: 'open', rest_seconds: 5 },
    ])
    clock.advance(5_001)
    for (let count = 0; count < 20; count++) expect((await ask()).status).toBe(200)
    expect(requestCounts).toEqual([6, 40])
  })

  test('to accept connections and is the only one is probed once a second; all others get a 503 immediately (F55)', async () => {
    const { ask } = await scene({ response: well })
    await app.upstream.stop()
    for (let count = 0; count < 5; count++) expect((await ask()).status).toBe(502)
    const tried: number[] = []
    for (let second = 0; second < 4; second++) {
      for (let count = 0; count < 10; count++) tried.push((await ask()).attempts)
      clock.advance(1_000)
    }
    expect(total(tried)).toBe(4)
    await ask()
    const { status, retryAfter, text } = await ask()
    expect([status, Number(retryAfter) > 0, JSON.parse(text).error.code]).toEqual([503, true, 'channels_down'])
    await app.upstream.start()
  })

  test('for one model still serves another', async () => {
    const { ask, requestCounts, ids } = await scene({ response: ({ body }) => (body.includes('gpt-4o-mini') ? broken() : well()) })
    await app.data(contract.channel.update, { id: ids[0] ?? 0, models: 'gpt-4o-mini,gpt-4o' })
    for (let count = 0; count < 5; count++) await ask()
    expect((await ask({ model: 'gpt-4o' })).status).toBe(200)
    expect(requestCounts).toEqual([6])
  })

  test('because of bad requests stays in use (F22)', async () => {
    const { ask, requestCounts } = await scene({ response: () => json({ error: { message: 'no such field' } }, 400) })
    for (let count = 0; count < 30; count++) {
      const { status, attempts } = await ask()
      expect([status, attempts]).toEqual([400, 1])
    }
    expect(requestCounts).toEqual([30])
  })

  test('in the middle of its streams is avoided like one that fails before', async () => {
    const cut = (): Script => events([chatChunk({ content: 'Half' })], [{ do: 'cut' }])
    const { ask, requestCounts } = await scene({ response: cut, priority: 1 }, { response: well })
    for (let count = 0; count < 40; count++) await ask({ stream: true })
    expect(requestCounts[0]).toBeLessThanOrEqual(10)
  })

  test('is reset when it gets another key', async () => {
    let isMended = false
    const refused = () => json({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } }, 401)
    const { ask, ids } = await scene({ response: () => (isMended ? well() : refused()) })
    for (let count = 0; count < 8; count++) await ask()
    expect((await ask()).status).toBe(503)
    isMended = true
    await app.data(contract.channel.update, { id: ids[0] ?? 0, key: 'key0' })
    for (let count = 0; count < 8; count++) expect((await ask()).status).toBe(200)
  })
})

test('at most a fifth of the requests is retried if more of them fail (test 25)', async () => {
  await setOptions(app, { RetryTimes: 5 })
  let count = 0
  // Every second attempt fails, on either channel.
  const half = () => (count++ % 2 === 0 ? broken() : well())
  const { ask, requestCounts } = await scene(...Array.from({ length: 6 }, () => ({ response: half })))
  const requests = 600
  for (let turn = 0; turn < requests; turn++) {
    await ask()
    clock.advance(3)
  }
  const calls = total(requestCounts)
  expect(calls / requests).toBeLessThan(1.25)
  expect(calls / requests).toBeGreaterThan(1.1)
})

test('a request whose response broke off at its start is tried once more, not twice: each time may have been charged (F5)', async () => {
  const reset = (): Script => [{ do: 'cut' }]
  const { ask, user } = await scene(...Array.from({ length: 4 }, () => ({ response: reset })))
  const { status, attempts, text } = await ask()
  expect([status, attempts, JSON.parse(text).error.code]).toEqual([502, 2, 'upstream_reset'])
  expect((await app.data(contract.account.self, {}, user)).quota).toBe(100_000_000)
})

describe('of two channels', () => {
  /** It is of no conversation. */
  const alone = { messages: [{ role: 'system', content: 'Hi' }] }

  test('the less loaded one is used if the option says so', async () => {
    await setOptions(app, { ChannelChoice: 'least_loaded' })
    const slow = (): Script => [{ do: 'wait', name: 'slow' }, ...well()]
    const { ask, requestCounts } = await scene({ response: slow }, { response: well })
    const held: Promise<unknown>[] = []
    // Until the slow channel has a request, the first pick is taken.
    while (requestCounts[0] === 0) {
      held.push(ask(alone))
      await until(
        () => app.data(contract.channel.progress, {}).then(() => total(requestCounts)),
        (count) => count === held.length,
      )
    }
    for (let count = 0; count < 30; count++) await ask(alone)
    expect(requestCounts[0]).toBe(1)
    app.upstream.release('slow')
    await Promise.all(held)
  })

  test('both are picked by weight otherwise', async () => {
    const { ask, requestCounts, ids } = await scene({ response: well }, { response: well })
    await app.data(contract.channel.update, { id: ids[0] ?? 0, weight: 9 })
    for (let count = 0; count < 200; count++) await ask(alone)
    expect(requestCounts[0]).toBeGreaterThan(150)
    expect(requestCounts[1]).toBeGreaterThan(3)
  })
})

describe('a parameter that the vendor of one channel does not offer', () => {
  const images = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/1.png' } }] }] }

  /** A channel of a vendor without images before one of a vendor that has them. */
  async function twoVendors(response: () => Script, priority = 0) {
    const user = await app.make.user({ quota: 100_000_000 })
    const { key } = await app.make.token(user, { isUnlimited: true })
    await app.make.channel({ key: 'blind', type: 26, priority: 1 })
    if (priority >= 0) await app.make.channel({ key: 'seeing', priority })
    const requestKeys: string[] = []
    app.upstream.fallback((request) => {
      requestKeys.push(String(request.headers['authorization']))
      return response()
    })
    const ask = (more: object) =>
      app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: 'gpt-4o-mini', ...more }),
      })
    return { ask, requestKeys }
  }

  test('sends the request to a channel whose vendor does, although none may be tried again', async () => {
    await setOptions(app, { RetryTimes: 0 })
    const { ask, requestKeys } = await twoVendors(well)
    expect((await ask(images)).status).toBe(200)
    expect(requestKeys).toEqual(['Bearer seeing'])
    expect((await ask({ messages: [{ role: 'user', content: 'Hi' }] })).status).toBe(200)
    expect(requestKeys).toEqual(['Bearer seeing', 'Bearer blind'])
  })

  test('is refused by its name before anything is sent, if there is no other channel', async () => {
    const { ask, requestKeys } = await twoVendors(well, -1)
    const refused = await ask(images)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: 'parameter_not_offered', param: 'image_url' } })
    expect(requestKeys).toEqual([])
  })

  test('gives way to the error of a channel that has it', async () => {
    const { ask } = await twoVendors(broken)
    expect((await ask(images)).status).toBe(502)
  })
})
