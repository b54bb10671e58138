import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type TokenLimitName } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type SetClock, setClock } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json } from '../../../test/fake-upstream.ts'
import { until } from '../../../test/server-process.ts'
import { keyOf } from './token-key.ts'
import { createTokenLimiter } from './token-limits.ts'
import { ownMinutes } from './token-minutes.ts'
import { ownPlaces } from './token-places.ts'

/** 2027-01-15T08:00:00Z */
const startMs = 1_800_000_000_000

let app: TestApp
let clock: SetClock
beforeAll(async () => {
  clock = setClock(startMs)
  app = await testApp({ clock })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi' }] }

type Headers = Readonly<Record<string, string>>

const chatWith = (headers: Headers, body: object = hello): Promise<Response> =>
  app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(body) })
const chat = (key: string, body: object = hello): Promise<Response> => chatWith({ authorization: `Bearer ${key}` }, body)

async function outcomeOf(response: Response): Promise<readonly [number, string | null]> {
  // Holds: every response of this route is JSON here.
  const { error } = (await response.json()) as { readonly error?: { readonly code: string; readonly message: string } }
  if (response.status !== 200) expect(error?.message).toBeString()
  return [response.status, error?.code ?? null]
}

const ok = [200, null] as const

async function scene(options: { readonly role?: number; readonly limits?: Readonly<Partial<Record<TokenLimitName, number>>> } = {}) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, role: options.role ?? 1 })
  const channel = await app.make.channel({ groups: group })
  const token = await app.make.token(user, { isUnlimited: true, limits: options.limits ?? {} })
  return { group, user, channel, token }
}

async function spentOf(user: TestUser): Promise<number> {
  return (await app.data(contract.account.self, {}, user)).used_quota
}

describe('The key of a request', () => {
  const request = (headers: Headers, query = ''): Request => new Request(`http://gateway/v1/models${query}`, { headers })

  test('is taken from every form that clients use', async () => {
    const { token } = await scene()
    const bare = token.key.slice(3)
    for (const headers of [
      { authorization: `Bearer ${token.key}` },
      { authorization: `bearer ${token.key}` },
      { authorization: `Bearer ${bare}` },
      { authorization: token.key },
      { authorization: bare },
      { 'x-api-key': token.key },
      { 'x-goog-api-key': token.key },
      { authorization: 'Bearer ', 'x-api-key': bare },
    ])
      expect(await outcomeOf(await chatWith(headers))).toEqual(ok)
  })

  test('in the URL is accepted only on routes that allow it', async () => {
    const { token } = await scene()
    const inAddress = await app.request(`/v1/chat/completions?key=${token.key}`, { method: 'POST', body: JSON.stringify(hello) })
    expect(await outcomeOf(inAddress)).toEqual([401, 'token_missing'])
    expect(keyOf(request({}, '?key=sk-abc'), ['query'])).toEqual({ key: 'abc', pin: null })
    expect(keyOf(request({ 'x-goog-api-key': 'def' }, '?key=sk-abc'), ['x-goog-api-key', 'query'])).toEqual({ key: 'def', pin: null })
  })

  test('in the list of subprotocols is that of a WebSocket', () => {
    const headers = { 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.sk-abc-7, openai-beta.realtime-v1' }
    expect(keyOf(request(headers), ['authorization', 'subprotocol'])).toEqual({ key: 'abc', pin: '7' })
    expect(() => keyOf(request(headers))).toThrow('token_missing')
  })

  test('that is malformed is refused, and is not repeated in the response', async () => {
    for (const key of ["sk-' OR 1=1 --", 'sk-ä', `sk-${'x'.repeat(200)}`, 'sk-sk-x', 'sk-x y']) {
      const response = await chatWith({ 'x-api-key': encodeURI(key) })
      const text = await response.text()
      expect(response.status).toBe(401)
      expect(text).not.toContain(key.slice(3))
    }
  })
})

describe('A channel named behind the key', () => {
  test('of an administrator is used alone, whatever its groups and models are, and is not retried elsewhere', async () => {
    const { token, user } = await scene({ role: 10 })
    const named = await app.make.channel({ groups: 'elsewhere', models: 'other-model' })
    app.upstream.script(json({ error: { message: 'busy' } }, 503))
    await app.data(contract.option.update, { key: 'RetryTimes', value: '3' })
    const before = app.upstream.received.length
    expect((await chat(`${token.key}-${named}`)).status).toBe(502)
    expect(app.upstream.received.length).toBe(before + 1)
    expect(await outcomeOf(await chat(`${token.key}-${named}`))).toEqual(ok)
    await app.data(contract.option.update, { key: 'RetryTimes', value: '0' })
    await app.app.ledger.drain()
    const logs = await app.data(contract.log.list, { username: user.username, type: 2 })
    expect(logs.map(({ channel }) => channel)).toEqual([named, named])
  })

  test('has different errors if unknown or disabled; an account that may not name one learns nothing about channels', async () => {
    const admin = await scene({ role: 10 })
    expect(await outcomeOf(await chat(`${admin.token.key}-999999`))).toEqual([400, 'channel_pin_unknown'])
    expect(await outcomeOf(await chat(`${admin.token.key}-x`))).toEqual([400, 'channel_pin_unknown'])
    expect(await outcomeOf(await chat(`${admin.token.key}-1-2`))).toEqual([400, 'channel_pin_unknown'])
    await app.data(contract.channel.update, { id: admin.channel, status: 2 })
    expect(await outcomeOf(await chat(`${admin.token.key}-${admin.channel}`))).toEqual([403, 'channel_pin_disabled'])
    const { token, channel } = await scene()
    for (const pin of [channel, 999_999, 'x'])
      expect(await outcomeOf(await chat(`${token.key}-${pin}`))).toEqual([403, 'channel_pin_forbidden'])
  })

  test('does not allow models that the token may not use', async () => {
    const { user, channel } = await scene({ role: 10 })
    const limited = await app.make.token(user, { models: 'gpt-4o' })
    expect(await outcomeOf(await chat(`${limited.key}-${channel}`))).toEqual([403, 'model_forbidden'])
  })

  test('is for administrators, and is refused as soon as they are demoted', async () => {
    const { user, token, channel } = await scene({ role: 10 })
    expect(await outcomeOf(await chat(`${token.key}-${channel}`))).toEqual(ok)
    await app.data(contract.user.manage, { username: user.username, action: 'demote' })
    expect(await outcomeOf(await chat(`${token.key}-${channel}`))).toEqual([403, 'channel_pin_forbidden'])
  })
})

describe('A token', () => {
  test('outside its subnets reveals nothing about its account', async () => {
    const { user } = await scene()
    const bound = await app.make.token(user, { subnet: '10.0.0.0/8,2001:db8::/32' })
    await app.data(contract.user.manage, { username: user.username, action: 'disable' })
    expect(await outcomeOf(await chat(bound.key))).toEqual([403, 'subnet_forbidden'])
  })

  test('without quota is marked as exhausted, and works again once it has quota and is enabled', async () => {
    const { user } = await scene()
    const { id, key } = await app.make.token(user, { remain: 0 })
    expect(await outcomeOf(await chat(key))).toEqual([403, 'insufficient_token_quota'])
    const row = await app.data(contract.token.get, { id }, user)
    expect(row.status).toBe(4)
    expect(await outcomeOf(await chat(key))).toEqual([403, 'token_exhausted'])
    await app.data(contract.token.update, { ...row, status: null, remain_quota: 500_000 }, user)
    await app.data(contract.token.setStatus, { id, status: 1 }, user)
    expect(await outcomeOf(await chat(key))).toEqual(ok)
  })

  test('with some quota left is not marked as exhausted by a request that costs more', async () => {
    const { user } = await scene()
    const { id, key } = await app.make.token(user, { remain: 1 })
    expect(await outcomeOf(await chat(key))).toEqual([403, 'insufficient_token_quota'])
    expect((await app.data(contract.token.get, { id }, user)).status).toBe(1)
  })

  test('changed under load is refused at the next request, and running responses are not cut (F53)', async () => {
    for (const [switchOff, code] of [
      [(user: TestUser, id: number) => app.data(contract.token.setStatus, { id, status: 2 }, user), 'token_disabled'],
      [(user: TestUser, id: number) => app.data(contract.token.remove, { id }, user), 'token_invalid'],
      [(user: TestUser) => app.data(contract.user.manage, { username: user.username, action: 'disable' }), 'user_banned'],
    ] as const) {
      const { user, token } = await scene()
      const gate = crypto.randomUUID()
      app.upstream.script([
        ...events([chatChunk({ content: 'a' })]),
        { do: 'wait', name: gate },
        ...events([chatChunk({}, 'stop'), '[DONE]']).slice(1),
      ])
      const running = await chat(token.key, { ...hello, stream: true })
      let isOver = false
      const load = Array.from({ length: 8 }, async () => {
        const after: string[] = []
        // Every client sends one more request after the change was visible.
        for (let isLast = false; !isLast; ) {
          isLast = isOver
          const [status, refusal] = await outcomeOf(await chat(token.key))
          if (status !== 200) after.push(refusal ?? '')
        }
        return after
      })
      await chat(token.key)
      await switchOff(user, token.id)
      for (let request = 0; request < 5; request += 1) expect((await outcomeOf(await chat(token.key)))[1]).toBe(code)
      isOver = true
      expect(new Set((await Promise.all(load)).flat())).toEqual(new Set([code]))
      app.upstream.release(gate)
      expect(await running.text()).toContain('[DONE]')
    }
  })
})

describe('The limits of a token', () => {
  const refusalOf = async (response: Response) => [...(await outcomeOf(response)), response.headers.get('retry-after')]

  test('let as many requests in as it may send in any sixty seconds', async () => {
    const { user, token } = await scene({ limits: { requests_per_minute: 3 } })
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    clock.advance(20_000)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    const spent = await spentOf(user)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_requests_limited', '40'])
    expect(await spentOf(user)).toBe(spent)
    clock.advance(39_000)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_requests_limited', '1'])
    clock.advance(1_000)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_requests_limited', '20'])
  })

  test('apply to parallel requests too', async () => {
    const { token } = await scene({ limits: { requests_per_minute: 5, quota_per_day: 1_000_000 } })
    const responses = await Promise.all(Array.from({ length: 30 }, async () => (await chat(token.key)).status))
    expect(responses.filter((status) => status === 200)).toHaveLength(5)
    expect(responses.filter((status) => status === 429)).toHaveLength(25)
  })

  test('count LLM tokens, the prompt at once and the response when it has ended', async () => {
    const { token } = await scene({ limits: { tokens_per_minute: 100 } })
    app.upstream.script(json(chatResponse('x', { prompt_tokens: 60, completion_tokens: 60, total_tokens: 120 })))
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_tokens_limited', '60'])
    clock.advance(60_000)
    app.upstream.script(json({ error: { message: 'no' } }, 400))
    expect((await chat(token.key, { ...hello, messages: [{ role: 'user', content: 'word '.repeat(400) }] })).status).toBe(400)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
  })

  test('count each running request, and release it however the request ends', async () => {
    const { token, user } = await scene({ limits: { requests_at_once: 1 } })
    const client = new OpenAI({ apiKey: token.key, baseURL: `${app.url}/v1`, maxRetries: 0 })
    const gate = crypto.randomUUID()
    app.upstream.script([...events([chatChunk({ content: 'a' })]), { do: 'wait', name: gate }])
    const stream = await client.chat.completions.create({ ...hello, stream: true })
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_busy', '1'])
    stream.controller.abort()
    app.upstream.release(gate)
    await untilFree(token.key)

    app.upstream.script([...events([chatChunk({ content: 'a' })]), { do: 'cut' }])
    await (await chat(token.key, { ...hello, stream: true })).text()
    await untilFree(token.key)
    app.upstream.script(json({ error: { message: 'no' } }, 500))
    expect((await chat(token.key)).status).toBe(502)
    expect(await outcomeOf(await chat(token.key, { model: 'unknown' }))).toEqual([400, 'messages_required'])
    expect(await outcomeOf(await chat(token.key, { ...hello, model: 'unknown' }))).toEqual([404, 'model_not_found'])
    await app.data(contract.user.manage, { username: user.username, action: 'disable' })
    expect(await outcomeOf(await chat(token.key))).toEqual([403, 'user_banned'])
    await app.data(contract.user.manage, { username: user.username, action: 'enable' })
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
  })

  /** An aborted stream ends shortly after its client disconnects. */
  const untilFree = (key: string): Promise<void> => until(async () => (await chat(key)).status === 200)

  test('cap the spending per day under concurrent requests, and restart at midnight UTC', async () => {
    const { token, user } = await scene({ limits: { quota_per_day: 1 } })
    const spending = await costOfOne(user)
    await setLimits(user, token.id, { quota_per_day: 3 * spending.reserved })
    const responses = await Promise.all(Array.from({ length: 20 }, async () => outcomeOf(await chat(token.key))))
    // Where a request waits for its quota, one that ends meanwhile may leave enough for it.
    expect(responses.map(([, code]) => code).filter((code) => code !== null && code !== 'token_day_quota')).toEqual([])
    await drainDay(token.key)
    const spent = await spentOfToken(user, token.id)
    expect(spent).toBeLessThanOrEqual(3 * spending.reserved)
    expect(spent).toBeGreaterThan(2 * spending.reserved)
    const refused = await chat(token.key)
    expect(refused.headers.get('x-should-retry')).toBe('false')
    const untilMidnight = 86_400 - (Math.floor(clock.nowMs() / 1000) % 86_400)
    expect(await refusalOf(refused)).toEqual([429, 'token_day_quota', String(untilMidnight)])
    clock.advance(untilMidnight * 1_000 - 1_000)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_day_quota', '1'])
    clock.advance(1_000)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
  })

  test('stop a stream that would spend more', async () => {
    const { token, user } = await scene()
    const { reserved } = await costOfOne(user)
    await setLimits(user, token.id, { quota_per_day: 4 * reserved })
    app.upstream.script(
      events([...Array.from({ length: 400 }, () => chatChunk({ content: 'word '.repeat(200) })), chatChunk({}, 'stop'), '[DONE]']),
    )
    const text = await (await chat(token.key, { ...hello, stream: true })).text()
    expect(text).toContain('"error"')
    expect(text).not.toContain('[DONE]')
    expect(await spentOfToken(user, token.id)).toBeLessThanOrEqual(8 * reserved)
  })

  test('survive a restart', async () => {
    const { token, user } = await scene()
    const { reserved } = await costOfOne(user)
    await setLimits(user, token.id, { quota_per_day: 2 * reserved })
    await drainDay(token.key)
    await app.app.ledger.drain()
    const used = await spentOfToken(user, token.id)
    const limits = { requestsPerMinute: 0, tokensPerMinute: 0, requestsAtOnce: 0, quotaPerDay: 2 * reserved, quotaPerMonth: 0 }
    // A new process knows only what is stored.
    const { ceiling } = await createTokenLimiter({ db: app.app.store.db, clock, minutes: ownMinutes(clock), places: ownPlaces() }).enter(
      token.id,
      limits,
    )
    expect((ceiling?.usedMax ?? 0) - used).toBeLessThan(reserved)
  })

  test('that an older console does not send are kept, and those that it sends are checked', async () => {
    const { user } = await scene()
    const created = await app.data(contract.token.create, { name: 'limited', requests_per_minute: 5, quota_per_day: 7 }, user)
    expect(created).toMatchObject({
      requests_per_minute: 5,
      tokens_per_minute: 0,
      requests_at_once: 0,
      quota_per_day: 7,
      quota_per_month: 0,
    })
    const old = { id: created.id, name: 'renamed', expired_time: -1, remain_quota: 1, unlimited_quota: false, models: '', subnet: '' }
    expect(await app.data(contract.token.update, old, user)).toMatchObject({ name: 'renamed', requests_per_minute: 5, quota_per_day: 7 })
    const changed = await app.data(
      contract.token.update,
      { ...old, requests_per_minute: 0, requests_at_once: 2, quota_per_day: null },
      user,
    )
    expect(changed).toMatchObject({ requests_per_minute: 0, requests_at_once: 2, quota_per_day: 0 })
    for (const wrong of [-1, 0.5, 2 ** 53])
      expect((await app.call(contract.token.update, { ...old, tokens_per_minute: wrong }, user)).message).toBe(
        'The limit must be an integer of at least 0',
      )
  })

  test('are reported in the headers of each response, as each protocol writes them', async () => {
    const { token } = await scene({ limits: { requests_per_minute: 4, tokens_per_minute: 1_000 } })
    const rateLimitsOf = ({ headers }: Response): Readonly<Record<string, string>> =>
      Object.fromEntries([...headers].filter(([name]) => name.includes('ratelimit')))
    app.upstream.script(json(chatResponse('x', { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 })))
    const first = await chat(token.key)
    expect(rateLimitsOf(first)).toMatchObject({ 'x-ratelimit-limit-requests': '4', 'x-ratelimit-remaining-requests': '3' })
    expect(rateLimitsOf(first)).toMatchObject({ 'x-ratelimit-reset-requests': '60s', 'x-ratelimit-limit-tokens': '1000' })
    expect(first.headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining-tokens')
    clock.advance(20_000)
    const models = await app.request('/v1/models', { headers: { authorization: `Bearer ${token.key}` } })
    expect(rateLimitsOf(models)).toEqual({
      'x-ratelimit-limit-requests': '4',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '60s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '850',
      'x-ratelimit-reset-tokens': '40s',
    })
    await (await chat(token.key)).json()
    const message = await app.request('/v1/messages', {
      method: 'POST',
      headers: { 'x-api-key': token.key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...hello, max_tokens: 5 }),
    })
    expect(rateLimitsOf(message)).toMatchObject({
      'anthropic-ratelimit-requests-limit': '4',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(clock.nowMs() + 60_000).toISOString(),
      'anthropic-ratelimit-tokens-limit': '1000',
    })
    const refused = await chat(token.key)
    expect([refused.status, rateLimitsOf(refused)['x-ratelimit-remaining-requests']]).toEqual([429, '0'])
    const { token: free } = await scene({ limits: { requests_at_once: 9 } })
    expect(rateLimitsOf(await chat(free.key))).toEqual({})
  })

  test('change with the next request', async () => {
    const { token, user } = await scene()
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    await setLimits(user, token.id, { requests_per_minute: 1 })
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
    expect((await outcomeOf(await chat(token.key)))[1]).toBe('token_requests_limited')
    await setLimits(user, token.id, { requests_per_minute: 0 })
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
  })

  test('apply per month, too, and the lower one counts', async () => {
    const { token, user } = await scene()
    const { reserved } = await costOfOne(user)
    await setLimits(user, token.id, { quota_per_day: 2 * reserved, quota_per_month: 2 * reserved })
    await drainDay(token.key)
    const [status, code, wait] = await refusalOf(await chat(token.key))
    expect([status, code]).toEqual([429, 'token_month_quota'])
    clock.advance(86_400_000)
    expect(await refusalOf(await chat(token.key))).toEqual([429, 'token_month_quota', String(Number(wait) - 86_400)])
    clock.advance((Number(wait) - 86_400) * 1_000)
    expect(await outcomeOf(await chat(token.key))).toEqual(ok)
  })

  async function setLimits(user: TestUser, id: number, limits: Readonly<Partial<Record<TokenLimitName, number>>>): Promise<void> {
    await app.data(contract.token.update, { ...(await app.data(contract.token.get, { id }, user)), status: null, ...limits }, user)
  }

  /** The reservation of one small chat: the lowest limit that admits one. */
  async function costOfOne(user: TestUser): Promise<{ readonly reserved: number }> {
    const { id, key } = await app.make.token(user, { isUnlimited: true })
    let [refused, reserved] = [0, 1]
    const isEnough = async (limit: number): Promise<boolean> => {
      await setLimits(user, id, { quota_per_day: (await spentOfToken(user, id)) + limit })
      return (await chat(key)).status === 200
    }
    while (!(await isEnough(reserved))) [refused, reserved] = [reserved, reserved * 2]
    while (reserved - refused > 1) {
      const middle = Math.floor((refused + reserved) / 2)
      if (await isEnough(middle)) reserved = middle
      else refused = middle
    }
    return { reserved }
  }

  async function spentOfToken(user: TestUser, id: number): Promise<number> {
    await app.app.ledger.drain()
    return (await app.data(contract.token.get, { id }, user)).used_quota
  }

  async function drainDay(key: string): Promise<void> {
    for (let request = 0; request < 10_000; request += 1) if ((await chat(key)).status !== 200) return
    throw new Error('the limit was never reached')
  }
})
