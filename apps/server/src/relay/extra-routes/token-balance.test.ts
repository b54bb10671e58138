import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
let ann: TestUser
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user({ quota: 3_000_000 })
  await app.make.channel()
})
afterAll(() => app.close())

const put = (key: string, value: string) => app.data(contract.option.update, { key, value })

async function ask(path: string, key: string): Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }> {
  const response = await app.request(path, { headers: { authorization: `Bearer ${key}` } })
  // Holds: both calls return an object, also for refusals.
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Both calls under both paths; they must agree. */
async function balance(key: string): Promise<{ readonly limit: unknown; readonly until: unknown; readonly used: unknown }> {
  const [subscription, sameSubscription, usage, sameUsage] = await Promise.all(
    [
      '/dashboard/billing/subscription',
      '/v1/dashboard/billing/subscription',
      '/dashboard/billing/usage',
      '/v1/dashboard/billing/usage/',
    ].map((path) => ask(`${path}?start_date=2026-01-01&end_date=2026-02-01`, key)),
  )
  expect(sameSubscription).toEqual(subscription ?? { status: 0, body: {} })
  expect(sameUsage).toEqual(usage ?? { status: 0, body: {} })
  const limit = subscription?.body['hard_limit_usd']
  expect(subscription).toEqual({
    status: 200,
    body: {
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: limit,
      hard_limit_usd: limit,
      system_hard_limit_usd: limit,
      access_until: subscription?.body['access_until'],
    },
  })
  expect(usage?.body['object']).toBe('list')
  return { limit, until: subscription?.body['access_until'], used: usage?.body['total_usage'] }
}

/** Spends 250,000 quota: a prompt token of the model costs 250. */
async function spend(key: string): Promise<void> {
  await put('ModelRatio', '{"gpt-4o-mini":250}')
  app.upstream.script(json(chatResponse('', { prompt_tokens: 1_000, completion_tokens: 0 })))
  const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
  const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
  expect(response.status).toBe(200)
}

test('a token holder sees what the token was given and has used, in money or in quota', async () => {
  const { key } = await app.make.token(ann, { remain: 1_000_000, expiredTime: 4_000_000_000 })
  await spend(key)
  expect(await balance(key)).toEqual({ limit: 2, until: 4_000_000_000, used: 50 })
  await put('DisplayInCurrencyEnabled', 'false')
  expect(await balance(key)).toEqual({ limit: 1_000_000, until: 4_000_000_000, used: 25_000_000 })
  await put('DisplayInCurrencyEnabled', 'true')
})

test('a token without limit and expiry gets the largest amount and no date', async () => {
  const { key } = await app.make.token(ann, { isUnlimited: true })
  expect(await balance(key)).toEqual({ limit: 100_000_000, until: 0, used: 0 })
})

test('if the account is shown, its used quota counts towards the granted amount', async () => {
  await put('DisplayTokenStatEnabled', 'false')
  const { key } = await app.make.token(ann, { isUnlimited: true, expiredTime: 4_000_000_000 })
  expect(await balance(key)).toEqual({ limit: 6, until: 0, used: 50 })
  await put('DisplayTokenStatEnabled', 'true')
})

test('only a valid token gets a response, and a refusal has OpenAI’s error format', async () => {
  for (const path of ['/dashboard/billing/subscription', '/v1/dashboard/billing/usage']) {
    expect(await ask(path, 'sk-nonsense')).toMatchObject({ status: 401, body: { error: { code: 'token_invalid' } } })
    expect((await app.request(path, { headers: ann.headers })).status).toBe(401)
  }
  const { key } = await app.make.token(ann, { subnet: '10.0.0.0/8' })
  expect(await ask('/dashboard/billing/usage', key)).toMatchObject({ status: 403, body: { error: { code: 'subnet_forbidden' } } })
  expect((await ask('/dashboard/billing/nonsense', key)).status).toBe(404)
})

test('output without a vendor’s count is counted exactly, or estimated if the option says so', async () => {
  const { key } = await app.make.token(ann)
  const completionTokens = async () => {
    app.upstream.script(json({ ...chatResponse('a a a a a a a a a a a a', {}), usage: undefined }))
    const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
    await (await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })).text()
    const [row] = await app.data(contract.log.listSelf, {}, ann)
    expect(row?.estimated).toBe(true)
    return row?.completion_tokens
  }
  expect(await completionTokens()).toBe(12)
  await put('ApproximateTokenEnabled', 'true')
  expect(await completionTokens()).toBe(6)
})
