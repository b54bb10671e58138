import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// A free model is free by its tokens. What a tool of the vendor takes is money that the operator would give away with every call.

const dollar = 500_000
const frees = ['gpt-4.1-nano', 'ratio-0', 'model-ratio-0', 'model-price-0'] as const

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  const rules = Object.fromEntries(
    ['gpt-4.1-nano', 'claude-haiku-4-5', 'gemini-3.8-flash', 'glm-free', 'or/free'].map((model) => [model, { free: true }]),
  )
  const tooFree = { free: true, search: 0, fileSearch: 0, container: 0 }
  const options = {
    PriceRules: { ...rules, 'ratio-0': { ratio: 0 }, 'all-free': tooFree },
    ModelRatio: { 'model-ratio-0': 0 },
    ModelPrice: { 'model-price-0': 0, 'by-the-call': 0.01 },
  }
  for (const [key, value] of Object.entries(options)) {
    await app.data(contract.option.update, { key: key as keyof typeof options, value: JSON.stringify(value) })
  }
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

/** A call of an account with this balance, what it cost, and how many requests were sent. */
async function call({ type, model, quota }: { type: number; model: string; quota: number }, path: string, body: object, response: Script) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models: model })
  const account = await accountScene(app, { groups, quota })
  app.upstream.fallback(() => response)
  const { status, text, row, upstreamBodies } = await account.call(path, body)
  return { status, text, quota: row?.quota, upstreamCount: upstreamBodies.length }
}

const messages = [{ role: 'user', content: 'Hi' }]
const responded = (output: readonly object[], tools: readonly object[]): Script =>
  json({
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', tools },
    output: [
      ...output,
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
    ],
    usage: { input_tokens: 20, output_tokens: 5, total_tokens: 25 },
  })
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }
const code = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }]
const run = { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', container_id: 'cntr_1', code: '1', outputs: null }

describe.each(frees)('the model %s, which is free', (model) => {
  const searching = { model, input: 'x', tools: [{ type: 'web_search' }] }
  const searched = responded([search, search, search], searching.tools)

  test('costs nothing without tools, also an account without quota', async () => {
    expect(await call({ type: 1, model, quota: 0 }, '/v1/chat/completions', { model, messages }, json(chatResponse('Hi')))).toMatchObject({
      status: 200,
      quota: 0,
    })
  })

  test('costs what searches and containers of the vendor do', async () => {
    expect((await call({ type: 1, model, quota: 10_000_000 }, '/v1/responses', searching, searched)).quota).toBe(0.03 * dollar)
    const body = { model, input: 'x', tools: code }
    expect((await call({ type: 1, model, quota: 10_000_000 }, '/v1/responses', body, responded([run], code))).quota).toBe(1.92 * dollar)
  })

  test('does not search, and runs no code, for an account without quota', async () => {
    for (const body of [searching, { model, input: 'x', tools: code }])
      expect(await call({ type: 1, model, quota: 0 }, '/v1/responses', body, searched)).toMatchObject({ status: 403, upstreamCount: 0 })
  })
})

const claude = json({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' },
  usage: { input_tokens: 20, output_tokens: 5, server_tool_use: { web_search_requests: 10 } },
})
const grounded = json({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'x' }] },
      finishReason: 'STOP',
      groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] },
    },
  ],
  usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, totalTokenCount: 25 },
})
const routed = chatResponse('x', { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, server_tool_use: { web_search_requests: 5 } })
const contents = [{ role: 'user', parts: [{ text: 'x' }] }]

test.each([
  [
    14,
    'claude-haiku-4-5',
    '/v1/messages',
    { max_tokens: 10, messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    claude,
    0.1,
  ],
  [24, 'gemini-3.8-flash', '/v1beta/models/gemini-3.8-flash:generateContent', { contents, tools: [{ googleSearch: {} }] }, grounded, 0.042],
  [20, 'or/free', '/v1/chat/completions', { messages, tools: [{ type: 'openrouter:web_search' }] }, json(routed), 0.05],
  [
    16,
    'glm-free',
    '/v1/chat/completions',
    { messages, tools: [{ type: 'web_search', web_search: { enable: true } }] },
    json({ ...chatResponse('x'), web_search: [{ title: 'x' }] }),
    0.01,
  ],
] as const)('searches at a vendor of type %d are paid at the free model %s', async (type, model, path, more, response, dollars) => {
  const body = { model, ...more }
  expect(await call({ type, model, quota: 10_000_000 }, path, body, response)).toMatchObject({ status: 200, quota: dollars * dollar })
  expect(await call({ type, model, quota: 0 }, path, body, response)).toMatchObject({ status: 403, upstreamCount: 0 })
})

test('a rule may make the tools of a free model free, too, and a price for the call has them in it', async () => {
  const body = (model: string) => ({ model, input: 'x', tools: [{ type: 'web_search' }] })
  const response = responded([search, search], [{ type: 'web_search' }])
  expect(await call({ type: 1, model: 'all-free', quota: 0 }, '/v1/responses', body('all-free'), response)).toMatchObject({ quota: 0 })
  const called = await call({ type: 1, model: 'by-the-call', quota: 10_000_000 }, '/v1/responses', body('by-the-call'), response)
  expect(called.quota).toBe(0.01 * dollar)
})

test('tokens of a free model are counted for an account without quota', async () => {
  const body = { model: 'claude-haiku-4-5', messages }
  const counted = await call({ type: 14, model: body.model, quota: 0 }, '/v1/messages/count_tokens', body, json({ input_tokens: 8 }))
  expect(counted.status).toBe(200)
})
