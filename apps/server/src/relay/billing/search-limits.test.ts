import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json } from '../../../test/fake-upstream.ts'

// Claude searches as often as it likes unless `max_uses` says how often.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.make.channel({ type: 14, models: 'claude-haiku-4-5' })
}, 60_000)
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const dollar = 500_000
const ask = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Who won?' }] }
const search = { type: 'web_search_20250305', name: 'web_search' }
const responseAfter = (searches: number) =>
  json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Hello' }],
    usage: { input_tokens: 10, output_tokens: 3, server_tool_use: { web_search_requests: searches } },
  })

interface SearchTool {
  readonly max_uses?: number
}

async function searchScene(quota: number, [path, body]: readonly [string, object]) {
  const { send, spent } = await accountScene(app, { quota })
  const before = app.upstream.received.length
  app.upstream.fallback((request) => {
    const { tools } = JSON.parse(request.body) as { readonly tools: readonly SearchTool[] }
    return responseAfter(tools[0]?.max_uses ?? 200)
  })
  return {
    spent,
    send: () => send(path, body),
    limits: () =>
      app.upstream.received.slice(before).map((request) => (JSON.parse(request.body) as { tools: SearchTool[] }).tools[0]?.max_uses),
  }
}

const calls: readonly (readonly [string, object])[] = [
  ['/v1/messages', { ...ask, tools: [search] }],
  ['/v1/chat/completions', { ...ask, web_search_options: {} }],
  ['/v1/responses', { model: 'claude-haiku-4-5', input: 'Who won?', max_output_tokens: 100, tools: [{ type: 'web_search' }] }],
  [
    '/v1beta/models/claude-haiku-4-5:generateContent',
    {
      contents: [{ role: 'user', parts: [{ text: 'Who won?' }] }],
      tools: [{ googleSearch: {} }],
      generationConfig: { maxOutputTokens: 100 },
    },
  ],
]

test.each(calls)('an account is allowed no more searches than it can pay for, by %s', async (path, body) => {
  const poor = await searchScene(dollar / 2, [path, body])
  expect((await poor.send()).status).toBe(200)
  const [most = 0] = poor.limits()
  // 0.01 dollars each.
  expect(most).toBeWithin(8, 51)
  const rich = await searchScene(20 * dollar, [path, body])
  expect((await rich.send()).status).toBe(200)
  expect(rich.limits()).toEqual([undefined])
})

test('many concurrent requests cost no more than what may be lacking', async () => {
  const { spent, send, limits } = await searchScene(dollar / 2, ['/v1/messages', { ...ask, tools: [search] }])
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send()).status))
  expect(statuses.filter((status) => status === 200).length).toBe(limits().length)
  expect((await spent()).cost).toBeLessThan(1.5 * dollar)
})

test('what the client names stays', async () => {
  const named = await searchScene(dollar / 2, ['/v1/messages', { ...ask, tools: [{ ...search, max_uses: 3 }] }])
  expect((await named.send()).status).toBe(200)
  expect(named.limits()).toEqual([3])
})
