import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'

let app: TestApp
let user: TestUser
let key: string
let channel: number
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 1_000_000 })
  key = (await app.make.token(user)).key
  channel = await app.make.channel({ type: 43, models: '', key: 'Custom the-key', baseUrl: `${app.upstream.url}/base` })
  await setOptions(app, { ProxyPrice: 700 })
})
afterAll(() => app.close())

function ask(
  rest: string,
  init: { readonly method?: string; readonly body?: string; readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
  as = key,
): Promise<Response> {
  const headers = { authorization: `Bearer ${as}`, ...init.headers }
  return app.request(`/v1/oneapi/proxy/${channel}${rest}`, { ...init, headers })
}

async function refusal(response: Response): Promise<readonly unknown[]> {
  // Holds: the relay sends every refusal in this form.
  const { error } = (await response.json()) as { error: Record<string, unknown> }
  return [response.status, error['code']]
}

async function lastRow() {
  const [row] = await app.data(contract.log.list, { type: 2 })
  return row
}

const quotaOf = async () => (await app.data(contract.account.self, {}, user)).quota
const last = () => app.upstream.received.at(-1)

describe('a raw proxy', () => {
  test('responds with an error, for free, if a header of the channel’s response cannot be sent on', async () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-type: a/b\r\netag: "\x01\x7f"\r\nexpires: 0\r\ncontent-length: 4\r\n\r\nrest'
    const upstream = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end(Buffer.from(text, 'latin1')) },
    })
    const id = await app.make.channel({ type: 43, models: '', baseUrl: `http://127.0.0.1:${upstream.port}` })
    const before = await quotaOf()
    const response = await app.request(`/v1/oneapi/proxy/${id}/x`, { headers: { authorization: `Bearer ${key}` } })
    expect(await refusal(response)).toEqual([502, 'upstream_invalid_response'])
    const failed = { channel: id, kind: 'upstream_invalid_response' }
    expect(await lastRow()).toMatchObject({ channel: id, quota: 0, end_reason: 'failed', failed_attempts: [failed] })
    expect(await quotaOf()).toBe(before)
    upstream.stop(true)
  })

  test('hides the channel’s key where the response repeats it, in headers and in the body', async () => {
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/plain', etag: '"Custom the-key-of-it"' } },
      { do: 'send', bytes: 'you sent Custom the-key' },
      { do: 'send', bytes: '-of-it; the-key-of-other' },
    ])
    const id = await app.make.channel({ type: 43, models: '', key: 'Custom the-key-of-it' })
    const response = await app.request(`/v1/oneapi/proxy/${id}/x`, { headers: { authorization: `Bearer ${key}` } })
    expect([response.headers.get('etag'), await response.text()]).toEqual(['"***"', 'you sent Custom *************; the-key-of-other'])
  })

  test('forwards only the methods and paths of its lists', async () => {
    const id = await app.make.channel({ type: 43, models: '', baseUrl: `${app.upstream.url}/base` })
    await app.data(contract.channel.update, { id, proxy_methods: 'GET, POST', proxy_paths: '/v1/chat, /files' })
    const to = (rest: string, method = 'GET') =>
      app.request(`/v1/oneapi/proxy/${id}${rest}`, { method, headers: { authorization: `Bearer ${key}` } })
    for (const rest of ['/v1/chat?x=/../', '/v1/chat/completions', '/files/a%20b']) {
      app.upstream.script(json({}))
      expect([rest, (await to(rest)).status]).toEqual([rest, 200])
      expect(last()).toMatchObject({ path: `/base${rest}` })
    }
    const requestsBefore = app.upstream.received.length
    for (const [rest, method] of [
      ['/v1/chat', 'DELETE'],
      ['/v1/embeddings', 'GET'],
      ['/v1/chats', 'GET'],
      ['/files/%2e%2e/admin', 'GET'],
      ['/files/..%2fadmin', 'GET'],
      ['/files/%252e%252e/admin', 'GET'],
      ['/files//admin', 'GET'],
      ['/files/..;/admin', 'GET'],
      ['', 'GET'],
    ] as const)
      expect([rest, method, ...(await refusal(await to(rest, method)))]).toEqual([rest, method, 403, 'raw_proxy_refused'])
    expect(app.upstream.received.length).toBe(requestsBefore)
  })

  test('whose id has escaped digits gets the rest of the path only', async () => {
    app.upstream.script(json({}))
    const escaped = [...String(channel)].map((digit) => `%3${digit}`).join('')
    const response = await app.request(`/v1/oneapi/proxy/${escaped}/x`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(200)
    expect(last()).toMatchObject({ path: '/base/x' })
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'passes %s on with path, query and body, for its flat price and one log row',
    async (method) => {
      const before = await quotaOf()
      app.upstream.script(json({ fine: true }, 201, { 'set-cookie': 'a=b', 'x-own': '1', etag: '"7"', connection: 'keep-alive' }))
      const body = method === 'GET' ? {} : { body: 'any bytes' }
      const response = await ask('/a%20b/c/?q=1&key=2', { method, ...body, headers: { 'content-type': 'text/plain' } })
      expect([response.status, await response.text()]).toEqual([201, '{"fine":true}'])
      expect(last()).toMatchObject({ method, path: '/base/a%20b/c/?q=1&key=2', body: method === 'GET' ? '' : 'any bytes' })
      expect(response.headers.get('etag')).toBe('"7"')
      expect([response.headers.get('set-cookie'), response.headers.get('x-own')]).toEqual([null, null])
      expect(before - (await quotaOf())).toBe(700)
      expect(await lastRow()).toMatchObject({
        channel,
        model_name: 'proxy',
        protocol: 'openai',
        kind: 'proxy',
        quota: 700,
        content: `${method} /base/a%20b/c/: 201`,
        attempts: 1,
      })
    },
  )

  test('costs the flat price at the factors of the group, of the type and of the model, rounded up', async () => {
    await setOptions(app, { GroupRatio: '{"default": 1.5}', ChannelTypeRatio: '{"43": 3, "1": 9}', RetailRatio: '{"proxy": 0.1001}' })
    try {
      const before = await quotaOf()
      app.upstream.script(json({ fine: true }), json({ own: 'words' }, 404))
      await (await ask('/x')).text()
      // 700 * 1.5 * 3 * 0.1001 = 315.315.
      expect(before - (await quotaOf())).toBe(316)
      expect(await lastRow()).toMatchObject({
        quota: 316,
        content: 'GET /base/x: 200 × group 1.5 × channel type 3 × model factor 0.1001',
      })
      await (await ask('/x')).text()
      expect(await lastRow()).toMatchObject({ quota: 0, content: 'GET /base/x: 404' })
      expect(before - (await quotaOf())).toBe(316)
    } finally {
      await setOptions(app, { GroupRatio: '{"default": 1}', ChannelTypeRatio: '{}', RetailRatio: '{}' })
    }
  })

  test('sends the key unchanged, and only allowed headers of the client', async () => {
    app.upstream.script(json({}))
    const headers = {
      cookie: 'session=1',
      'x-forwarded-for': '1.2.3.4',
      forwarded: 'for=1.2.3.4',
      te: 'trailers',
      'x-own': '1',
      accept: 'a/b',
      'content-type': 'c/d',
    }
    await (await ask('/x', { method: 'POST', body: 'b', headers })).text()
    const { host: _host, ...forwardedHeaders } = last()?.headers ?? {}
    expect(forwardedHeaders).toEqual({
      'x-sluice-hop': expect.stringMatching(/^[A-Za-z0-9]{12}$/),
      authorization: 'Custom the-key',
      accept: 'a/b',
      'content-type': 'c/d',
      'accept-encoding': 'identity',
      'content-length': '1',
      'user-agent': 'Sluice',
      connection: 'keep-alive',
    })
  })

  test('forwards bytes beyond ASCII in headers of its response unchanged, and ends afterwards', async () => {
    const limited = (await app.make.token(user, { limits: { requests_at_once: 1 } })).key
    for (let count = 0; count < 2; count += 1) {
      app.upstream.script(json({ fine: true }, 200, { 'content-disposition': 'attachment; filename="\xe9.txt"' }))
      const response = await ask('/x', {}, limited)
      expect([response.status, await response.text()]).toEqual([200, '{"fine":true}'])
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="\xe9.txt"')
    }
  })

  test('forwards bytes beyond ASCII in headers of the request unchanged', async () => {
    app.upstream.script(json({ fine: true }))
    await (await ask('/x', { headers: { accept: 'a/b; title="\xe9"' } })).text()
    expect(last()?.headers['accept']).toBe('a/b; title="\xe9"')
  })

  test('forwards a refusal unchanged, without a charge', async () => {
    const before = await quotaOf()
    app.upstream.script(json({ own: 'words' }, 422))
    const response = await ask('/x')
    expect([response.status, await response.text()]).toEqual([422, '{"own":"words"}'])
    expect(await quotaOf()).toBe(before)
    expect(await lastRow()).toMatchObject({ quota: 0, content: 'GET /base/x: 422' })
  })

  test.each([204, 304])('ends a response of status %i, which has no body', async (status) => {
    const limited = await app.make.token(user, { limits: { requests_at_once: 1 } })
    for (let request = 0; request < 2; request += 1) {
      app.upstream.script([{ do: 'head', status, headers: { etag: '"7"' } }])
      const response = await ask('/x', {}, limited.key)
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([status, '"7"', ''])
    }
    expect(await lastRow()).toMatchObject({ quota: 700, content: `GET /base/x: ${status}` })
  })

  test('is called once, and costs nothing if it does not respond or redirects', async () => {
    const before = await quotaOf()
    const requestsBefore = app.upstream.received.length
    app.upstream.script([{ do: 'cut' }], [{ do: 'head', status: 302, headers: { location: 'http://127.0.0.1/' } }])
    expect(await refusal(await ask('/x'))).toEqual([502, 'upstream_unreachable'])
    expect(await refusal(await ask('/x'))).toEqual([502, 'upstream_redirect'])
    expect(app.upstream.received.length).toBe(requestsBefore + 2)
    expect(await quotaOf()).toBe(before)
  })

  test('refuses paths that leave the channel’s address', async () => {
    const requestsBefore = app.upstream.received.length
    for (const path of ['/%2e%2e/other', '/a/%2e%2e/%2e%2e/other']) expect(await refusal(await ask(path))).toEqual([404, 'proxy_not_found'])
    expect((await app.request(`/v1/oneapi/proxy/${channel}@127.0.0.1:1/`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(
      404,
    )
    expect(app.upstream.received.length).toBe(requestsBefore)
  })

  test('is open to members of its groups while it is enabled, and only for its channel type', async () => {
    const requestsBefore = app.upstream.received.length
    const stranger = (await app.make.token(await app.make.user({ groups: 'vip' }))).key
    const bound = (await app.make.token(user, { models: 'gpt-4o-mini' })).key
    expect(await refusal(await ask('/x', {}, stranger))).toEqual([404, 'proxy_not_found'])
    expect(await refusal(await ask('/x', {}, bound))).toEqual([403, 'model_forbidden'])
    expect(await refusal(await ask('/x', {}, 'sk-nobody'))).toEqual([401, 'token_invalid'])
    const chat = await app.make.channel({})
    for (const id of [chat, 999, 'x', '1e3'])
      expect(await refusal(await app.request(`/v1/oneapi/proxy/${id}/x`, { headers: { authorization: `Bearer ${key}` } }))).toEqual([
        404,
        'proxy_not_found',
      ])
    const other = await app.make.channel({ type: 43, models: '' })
    await app.data(contract.channel.update, { id: other, status: 2 })
    expect(await refusal(await app.request(`/v1/oneapi/proxy/${other}/x`, { headers: { authorization: `Bearer ${key}` } }))).toEqual([
      404,
      'proxy_not_found',
    ])
    expect(app.upstream.received.length).toBe(requestsBefore)
  })

  test('sends nothing if the balance does not cover the price', async () => {
    const poor = (await app.make.token(await app.make.user({ quota: 100 }))).key
    const requestsBefore = app.upstream.received.length
    expect(await refusal(await ask('/x', {}, poor))).toEqual([403, 'insufficient_user_quota'])
    expect(app.upstream.received.length).toBe(requestsBefore)
  })

  test('streams a body, and the request is cancelled if the client disconnects', async () => {
    app.upstream.script([{ do: 'head', status: 200, headers: { 'content-type': 'a/b' } }, { do: 'send', bytes: 'first' }, { do: 'hang' }])
    const leaving = new AbortController()
    const response = await ask('/x', { signal: leaving.signal })
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
    leaving.abort()
    await last()?.aborted
  })
})

test('after all tests the ledger is consistent', async () => {
  expect(await app.inconsistencies()).toEqual([])
})

describe('the limits of a token at a raw proxy', () => {
  test('include its price in the daily quota', async () => {
    const limited = await app.make.token(user, { limits: { quota_per_day: 1_500 } })
    for (let request = 0; request < 2; request += 1) {
      app.upstream.script(json({ fine: true }))
      expect((await ask('/x', {}, limited.key)).status).toBe(200)
    }
    expect(await refusal(await ask('/x', {}, limited.key))).toEqual([429, 'token_day_quota'])
  })

  test('count a response until it has ended', async () => {
    const limited = await app.make.token(user, { limits: { requests_at_once: 1 } })
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'text/plain' } },
      { do: 'send', bytes: 'begun' },
      { do: 'wait', name: 'the rest of a raw answer' },
    ])
    const running = await ask('/x', {}, limited.key)
    expect(await refusal(await ask('/x', {}, limited.key))).toEqual([429, 'token_busy'])
    app.upstream.release('the rest of a raw answer')
    expect(await running.text()).toBe('begun')
    app.upstream.script(json({ fine: true }))
    expect((await ask('/x', {}, limited.key)).status).toBe(200)
  })

  test('mark a token without quota as exhausted', async () => {
    const spent = await app.make.token(user, { remain: 0 })
    expect(await refusal(await ask('/x', {}, spent.key))).toEqual([403, 'insufficient_token_quota'])
    expect((await app.data(contract.token.get, { id: spent.id }, user)).status).toBe(4)
  })
})
