import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { responseTokens } from '../src/relay/pricing/count-tokens.ts'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { chatChunk, chatResponse, events, json } from './fake-upstream.ts'

// Concurrent requests compete for the last quota of one account.

/** Prices of one unit of quota a token, and no minimum of holds. */
const plain = { ModelRatio: '{"gpt-4o-mini":1}', CompletionRatio: '{"gpt-4o-mini":1}', PreConsumedQuota: '0' }
const completionTokens = 50
/** Largest charge of a request beyond the balance, in output tokens. */
const window = 1_024

let app: TestApp
/** Tokens of the prompt, as they are reserved. */
let promptTokens = 0
beforeAll(async () => {
  app = await testApp()
  await app.make.channel()
  for (const [key, value] of Object.entries(plain)) await app.data(contract.option.update, { key, value })
  const { ask } = await make(1_000_000)
  app.upstream.script(json(chatResponse('hello', null)))
  await ask()
  // The server's own count of the prompt for a vendor without usage; the hold estimates it without the tokens that begin a response.
  const row = await app.app.store.db.selectFrom('logs').select('prompt_tokens').where('type', '=', 2).executeTakeFirstOrThrow()
  promptTokens = row.prompt_tokens - responseTokens
}, 60_000)
afterAll(() => app.close())

async function make(quota: number) {
  const user = await app.make.user({ quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ask = (more: object = {}): Promise<Response> =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        max_tokens: completionTokens,
        messages: [{ role: 'user', content: 'hi' }],
        ...more,
      }),
    })
  return { user, ask }
}

async function balanceOf({ id }: TestUser): Promise<number> {
  await app.app.ledger.drain()
  return (await app.app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow()).quota
}

test('of two hundred concurrent requests exactly as many succeed as the balance pays, and it ends at zero (I5)', async () => {
  const { user, ask } = await make(10 * (promptTokens + completionTokens))
  app.upstream.fallback(() => json(chatResponse('hello', { prompt_tokens: promptTokens, completion_tokens: completionTokens })))
  const responses = await Promise.all(Array.from({ length: 200 }, () => ask()))
  const refused = responses.filter(({ ok }) => !ok)
  expect(refused).toHaveLength(190)
  for (const response of refused) {
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([403, 'false'])
    expect(await response.json()).toMatchObject({ error: { code: 'insufficient_user_quota' } })
  }
  expect(await balanceOf(user)).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
}, 60_000)

test('streams beyond their limit are cut where the balance ends, and each adds at most one window of debt (I5)', async () => {
  const { user, ask } = await make(3 * (promptTokens + 500))
  const text = 'many words that are worth some tokens each '.repeat(5)
  app.upstream.fallback(() => events([...Array.from({ length: 200 }, () => chatChunk({ content: text })), chatChunk({}, 'stop'), '[DONE]']))
  const responses = await Promise.all(Array.from({ length: 100 }, () => ask({ stream: true, max_tokens: 500 })))
  const texts = await Promise.all(responses.map((response) => response.text()))
  const streams = texts.filter((_, index) => responses[index]?.ok)
  expect(streams).toHaveLength(3)
  for (const stream of streams) {
    expect(stream).not.toContain('[DONE]')
    expect(stream).toContain('upstream_answer_too_long')
  }
  expect(await balanceOf(user)).toBeGreaterThanOrEqual(-streams.length * window)
  expect(await balanceOf(user)).toBeLessThan(0)
  expect(await app.inconsistencies()).toEqual([])
}, 60_000)

test('of requests without a limit the first gets all that the balance can pay, as the limit that is sent to its vendor', async () => {
  const { user, ask } = await make(promptTokens + 4_700)
  app.upstream.fallback(({ body }) => {
    const { max_tokens: limit } = JSON.parse(body)
    // It reasons invisibly up to its limit.
    const completion_tokens_details = { reasoning_tokens: limit }
    return json(chatResponse('hello', { prompt_tokens: promptTokens, completion_tokens: limit ?? 1_000_000, completion_tokens_details }))
  })
  const responses = await Promise.all(Array.from({ length: 10 }, () => ask({ max_tokens: undefined })))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 403)])
  expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ max_tokens: 4_700 })
  expect(await balanceOf(user)).toBe(0)
})

test('a request is not sent if the balance pays for less than 4,096 tokens, or for less than a limit that is named', async () => {
  const { ask } = await make(promptTokens + 4_095)
  const before = app.upstream.received.length
  const refused = await ask({ max_tokens: undefined })
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining(`needs at least ${promptTokens + 4_096}, and ${promptTokens + 4_095} is available`),
  ])
  expect((await ask({ max_tokens: undefined, stream: true })).status).toBe(403)
  expect((await ask({ max_tokens: 4_096 })).status).toBe(403)
  expect((await ask({ max_tokens: 4_096, stream: true })).status).toBe(403)
  expect((await ask({ max_tokens: 2_048, n: 2 })).status).toBe(403)
  expect(app.upstream.received.length).toBe(before)
  expect((await ask({ max_tokens: 4_095 })).status).toBe(200)
})
