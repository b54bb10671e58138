import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { type FakeUpstream, json, type Received, type Script, startFakeUpstream } from './fake-upstream.ts'

// What a service that gives credentials, or who stands in its place, may respond: where the secret goes, what is sent, and what is charged.

let app: TestApp
let elsewhere: FakeUpstream
beforeAll(async () => {
  elsewhere = await startFakeUpstream()
})
afterAll(() => elsewhere.close())

const secret = 'the-secret-of-the-application'

interface Place {
  readonly type: number
  readonly model: string
  readonly key: (group: string) => string
  readonly isGrant: (request: Received) => boolean
  /** The credential of a call. */
  readonly tokenIn: (request: Received) => string
  readonly response: Script
}

/** A credential in the address, and one in a header. */
const places: Readonly<Record<string, Place>> = {
  Baidu: {
    type: 15,
    model: 'ernie-3.5-8k',
    key: (group) => `${group}|${secret}`,
    isGrant: ({ path }) => path.startsWith('/oauth/'),
    tokenIn: ({ path }) => new URL(path, 'http://vendor').searchParams.get('access_token') ?? '',
    response: json({ id: 'as-1', result: 'mine', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
  },
  Azure: {
    type: 3,
    model: 'gpt-5',
    key: (group) => `${app.upstream.url}/${group}|client|${secret}`,
    isGrant: ({ path }) => path.endsWith('/oauth2/v2.0/token'),
    tokenIn: ({ headers }) => String(headers['authorization'] ?? '').replace('Bearer ', ''),
    response: json({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      choices: [{ index: 0, message: { role: 'assistant', content: 'mine' }, finish_reason: 'stop' }],
    }),
  },
}

const body = { grant: 'token-1', life: 3_600 }
const grantOf = (value: unknown, life: unknown = body.life): Script => json({ access_token: value, expires_in: life, token_type: 'Bearer' })
const head = (status: number, headers: Readonly<Record<string, string>>): Script => [{ do: 'head', status, headers }]

describe.each(Object.entries(places))('%s', (_name, place) => {
  // A server for each, because the retries of a model in one server are limited.
  beforeAll(async () => {
    app = await testApp({ env: { CHANNEL_PAUSE_MS: '1' } })
    await app.data(contract.option.update, { key: 'AutomaticDisableChannelEnabled', value: 'true' })
  })
  afterAll(() => app.close())
  afterEach(async () => {
    expect(await app.inconsistencies()).toEqual([])
    expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
  })

  /** An account with a channel whose credential comes by `give`, and another channel behind it. */
  async function scene(give: () => Script) {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups })
    const { key: token } = await app.make.token(user)
    const { type, model, key } = place
    const channel = await app.make.channel({ groups, type, models: model, key: key(groups), priority: 1 })
    await app.make.channel({ groups, type: 1, models: model, key: 'sk-other', priority: 0 })
    const credentials: string[] = []
    let requestCount = 0
    app.upstream.always((request) => {
      if (place.isGrant(request)) {
        requestCount += 1
        return give()
      }
      const credential = place.tokenIn(request)
      if (credential === '' || credential === 'sk-other') return null
      credentials.push(credential)
      return place.response
    })
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const chat = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] })
      const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body: chat })
      return { status: response.status, text: await response.text() }
    }
    const rows = async () => {
      await app.app.ledger.drain()
      return await app.data(contract.log.list, { username: user.username })
    }
    const status = async () => (await app.data(contract.channel.get, { id: channel })).status
    return { ask, rows, sent: credentials, status, requestCount: () => requestCount }
  }

  const unusable: ReadonlyArray<readonly [string, () => Script]> = [
    ...[301, 302, 307, 308].map(
      (code) => [`a redirect to another host (${code})`, () => head(code, { location: `${elsewhere.url}/token` })] as const,
    ),
    ['the page of a proxy', () => [...head(200, { 'content-type': 'text/html' }), { do: 'send', bytes: '<html>login</html>' }]],
    ['nothing', () => head(200, { 'content-type': 'application/json' })],
    [
      'half of it',
      () => [...head(200, { 'content-type': 'application/json' }), { do: 'send', bytes: '{"access_token": "tok' }, { do: 'cut' }],
    ],
    [
      'a wrong encoding',
      () => [...head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }), { do: 'send', bytes: '{}' }],
    ],
    ['a credential that is a list', () => grantOf(['token-1'])],
    ['a credential that is a number', () => grantOf(1)],
    ['a busy service that repeats the secret', () => json({ error: 'busy', error_description: `not now, ${secret}` }, 503)],
  ]
  test.each(unusable)('%s instead of a credential leads to another channel, and the secret goes nowhere', async (_what, give) => {
    const { ask, rows, sent: credentials, status } = await scene(give)
    const { status: code, text } = await ask()
    expect([code, text]).toEqual([200, expect.stringContaining('Hello')])
    expect(credentials).toEqual([])
    expect(elsewhere.received).toEqual([])
    const logRows = await rows()
    expect(logRows).toMatchObject([{ prompt_tokens: 10, completion_tokens: 5 }])
    expect(`${text} ${JSON.stringify(logRows)}`).not.toContain(secret)
    expect(await status()).toBe(1)
  })

  test.each([
    ['a line break', 'token-1\r\nx-injected: 1'],
    ['a zero byte', 'token-1\u0000'],
    ['letters that no header has', 'жетон-1'],
    ['a megabyte', 't'.repeat(1_048_576)],
  ])('a credential with %s adds nothing to a request', async (_what, value) => {
    const before = app.upstream.received.length
    const { ask, rows } = await scene(() => grantOf(value))
    expect((await ask()).status).toBe(200)
    const calls = app.upstream.received.slice(before).filter((request) => !place.isGrant(request))
    expect(calls.filter(({ headers }) => headers['x-injected'] !== undefined)).toEqual([])
    expect((await rows()).length).toBe(1)
  })

  test.each([
    ['negative', -1],
    ['zero', 0],
    ['endless', 1e300],
    ['a text', 'soon'],
    ['missing', undefined],
    ['a list', [3_600]],
  ])('a life that is %s neither stops the channel nor asks without end', async (_what, life) => {
    const { ask, sent: credentials, requestCount } = await scene(() => grantOf('token-1', life))
    for (let count = 0; count < 3; count += 1) expect(await ask()).toMatchObject({ status: 200, text: expect.stringContaining('mine') })
    expect(credentials).toEqual(['token-1', 'token-1', 'token-1'])
    expect(requestCount()).toBeLessThanOrEqual(3)
  })

  test('a credential in a compressed response is read', async () => {
    const bytes = gzipSync(JSON.stringify({ access_token: 'token-1', expires_in: 3_600 }))
    const { ask, sent: credentials } = await scene(() => [
      ...head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      { do: 'send', bytes },
    ])
    expect(await ask()).toMatchObject({ status: 200, text: expect.stringContaining('mine') })
    expect(credentials).toEqual(['token-1'])
  })
})
