import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from './app.ts'
import { json, type Received, type Script } from './fake-upstream.ts'
import { until } from './server-process.ts'

// Credentials that a vendor gives for a channel's key, through HTTP. The vendor here numbers them.

let app: TestApp
let passedMs = 0
const clock = { nowMs: () => Date.now() + passedMs, monotonicMs: () => performance.now() + passedMs }
beforeAll(async () => {
  app = await testApp({ clock, env: { CHANNEL_PAUSE_MS: '1000' } })
  await app.data(contract.option.update, { key: 'AutomaticDisableChannelEnabled', value: 'true' })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const model = 'ernie-3.5-8k'
const lifeSeconds = 3_600
const refused = json({ error_code: 110, error_msg: 'Access token invalid or no longer valid' })

function tokenIn({ path }: Received): string {
  return new URL(path, 'http://double').searchParams.get('access_token') ?? ''
}

const grant = (number: number): Script => json({ access_token: `token-${number}`, expires_in: lifeSeconds })

/** A channel of its own, whose vendor issues credentials by `give` and responds to each call by `response`. */
async function scene(give: (number: number) => Script, response: (token: string) => Script | null = () => null) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key } = await app.make.token(user)
  const channel = await app.make.channel({ groups: group, type: 15, models: model, key: `${group}|the-secret` })
  let grantCount = 0
  const tokens: string[] = []
  app.upstream.always((request) => {
    if (request.path.startsWith('/oauth/')) {
      grantCount += 1
      return give(grantCount)
    }
    const token = tokenIn(request)
    if (token === '') return null
    tokens.push(token)
    return response(token) ?? json({ id: 'as-1', result: token, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })
  })
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = async () => {
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] })
    return choices[0]?.message.content
  }
  const status = async () => (await app.data(contract.channel.get, { id: channel })).status
  return { ask, sent: tokens, group, user, channel, status, grantCount: () => grantCount }
}

async function errorOf(request: Promise<unknown>): Promise<unknown> {
  return await request.then(
    () => null,
    (error: unknown) => error,
  )
}

test('all who want a credential at once share one, and later requests send it without asking', async () => {
  const { ask, grantCount } = await scene((number) => [{ do: 'wait', name: 'shared' }, ...grant(number)])
  const pending = Array.from({ length: 5 }, ask)
  await until(() => grantCount() === 1)
  app.upstream.release('shared')
  expect(await Promise.all(pending)).toEqual(Array.from({ length: 5 }, () => 'token-1'))
  expect(await ask()).toBe('token-1')
  expect(grantCount()).toBe(1)
})

test('a credential is renewed before it ends, while the old one is sent', async () => {
  const { ask, grantCount } = await scene((number) => (number === 1 ? grant(1) : [{ do: 'wait', name: 'renewed' }, ...grant(number)]))
  await ask()
  passedMs += lifeSeconds * 950
  expect([await ask(), await ask()]).toEqual(['token-1', 'token-1'])
  expect(grantCount()).toBe(2)
  app.upstream.release('renewed')
  await until(async () => (await ask()) === 'token-2')
  expect(grantCount()).toBe(2)
})

test('a credential that cannot be renewed is sent until it ends', async () => {
  const { ask, grantCount } = await scene((number) => (number === 2 ? json({ error: 'busy' }, 503) : grant(number)))
  await ask()
  passedMs += lifeSeconds * 950
  expect(await ask()).toBe('token-1')
  await until(() => grantCount() === 2)
  expect(await ask()).toBe('token-1')
  passedMs += lifeSeconds * 60
  expect(await ask()).toBe('token-3')
})

test('a credential that several requests have refused is fetched once more, and all of them succeed', async () => {
  const {
    ask,
    sent: tokens,
    grantCount,
    status,
  } = await scene(grant, (token) =>
    token === 'token-1' && tokens.length > 1 ? [{ do: 'wait', name: `refusal ${tokens.length}` }, ...refused] : null,
  )
  await ask()
  passedMs += 60_000
  const pending = [ask(), ask()]
  await until(() => tokens.length === 3)
  app.upstream.release('refusal 2')
  expect(await pending[0]).toBe('token-2')
  // This refusal is about the credential before.
  app.upstream.release('refusal 3')
  expect(await pending[1]).toBe('token-2')
  expect([grantCount(), await status()]).toEqual([2, 1])
})

test('a renewed credential that is refused, too, is the key’s fault: it is fetched once more, and the channel is disabled', async () => {
  const { ask, sent: tokens, grantCount, status } = await scene(grant, () => (tokens.length > 1 ? refused : null))
  expect(await ask()).toBe('token-1')
  passedMs += 60_000
  expect(await errorOf(ask())).toMatchObject({ status: 502, code: 'channel_auth_failed' })
  await until(async () => (await status()) === 3)
  expect([tokens, grantCount()]).toEqual([['token-1', 'token-1', 'token-2'], 2])
})

test('a key that the vendor gives no credential for disables its channel, with the vendor’s words and without the secret', async () => {
  const words = { error: 'invalid_client', error_description: 'unknown client id, secret the-secret' }
  const { ask, channel, status, sent: tokens } = await scene(() => json(words, 401))
  const error = await errorOf(ask())
  expect(error).toMatchObject({ status: 502, code: 'channel_auth_failed' })
  expect(String(error)).not.toContain('the-secret')
  await until(async () => (await status()) === 3)
  expect(tokens).toEqual([])
  await app.app.ledger.drain()
  const rows = JSON.stringify((await app.data(contract.log.list, {})).filter((row) => JSON.stringify(row).includes(`${channel}`)))
  expect(rows).toContain('unknown client id')
  expect(rows).not.toContain('the-secret')
})

test('a vendor that cannot give a credential now is avoided as a channel, for all models, and another one responds', async () => {
  const { ask, group, channel, status } = await scene(() => json({ error: 'busy' }, 503))
  await app.make.channel({ groups: group, type: 1, models: model, priority: -1 })
  for (let count = 0; count < 8; count += 1) expect(await ask()).toBe('Hello')
  expect(await status()).toBe(1)
  const rows = (await app.data(contract.channel.health, {})).filter((row) => row.channel === channel)
  expect(rows).toMatchObject([{ kind: '', model: '' }])
})

test.each([
  ['has none', json({ fine: true })],
  ['is not JSON', json('the page of a proxy')],
  ['has an empty one', json({ access_token: '', error_description: 'try again' })],
] as const)(
  'a response of success that %s says nothing about the key: the channel stays enabled, and another one responds',
  async (_what, response) => {
    const { ask, group, channel, status } = await scene(() => response)
    await app.make.channel({ groups: group, type: 1, models: model, priority: -1 })
    expect(await ask()).toBe('Hello')
    expect(await ask()).toBe('Hello')
    expect(await status()).toBe(1)
    expect((await app.data(contract.channel.health, {})).filter((row) => row.channel === channel && row.kind !== '')).toEqual([])
  },
)
