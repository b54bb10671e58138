import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type AccountScene, accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// Tools that a client runs let the vendor read only what the request has, and a cache costs what was requested. Prices in quota units per token
// of input: claude-haiku-4-5 0.5, gpt-4o-mini 0.075, gpt-5.6 2.

const claude = 'claude-haiku-4-5'
let app: TestApp
let account: AccountScene
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.make.channel({ models: 'gpt-4o-mini,gpt-5.6' })
  await app.make.channel({ type: 14, models: claude })
  await app.make.channel({ type: 24, models: 'gemini-2.5-flash' })
  account = await accountScene(app, { quota: 1_000_000_000 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const rowOf: AccountScene['rowOf'] = (path, body, ...responses) => account.rowOf(path, body, ...responses)

const message = (more: object = {}) => ({ model: claude, max_tokens: 100, messages: [{ role: 'user', content: 'x' }], ...more })
const chat = (more: object = {}) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x' }], max_tokens: 100, ...more })
const response = (more: object = {}) => ({ model: 'gpt-4o-mini', input: 'x', max_output_tokens: 100, ...more })

const messageResponse = (usage: object): Script =>
  json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: claude, stop_reason: 'end_turn', content: [{ type: 'text', text: 'ok' }] },
    usage: { output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, ...usage },
  })
const responsesResponse = (input: number): Script =>
  json({
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o-mini', usage: { input_tokens: input, output_tokens: 5 } },
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }],
  })
const chatOf = (input: number): Script => json(chatResponse('ok', { prompt_tokens: input, completion_tokens: 5 }))
const messageOf = (input: number): Script => messageResponse({ input_tokens: input })
const geminiOf = (input: number): Script =>
  json({
    candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: 5, totalTokenCount: input + 5 },
  })

const parameters = { type: 'object', properties: {} }
const messages = '/v1/messages'
const gemini = '/v1beta/models/gemini-2.5-flash:generateContent'

type Case = readonly [string, string, object, (input: number) => Script]
const seen: readonly Case[] = [
  ['a function of a chat', '/v1/chat/completions', chat({ tools: [{ type: 'function', function: { name: 'f', parameters } }] }), chatOf],
  ['a function of a message', messages, message({ tools: [{ name: 'f', input_schema: parameters }] }), messageOf],
  ['a function of a response', '/v1/responses', response({ tools: [{ type: 'function', name: 'f', parameters }] }), responsesResponse],
  [
    'a function in Google’s form',
    gemini,
    { contents: [{ role: 'user', parts: [{ text: 'x' }] }], tools: [{ functionDeclarations: [{ name: 'f' }] }] },
    geminiOf,
  ],
  ...['bash_20250124', 'text_editor_20250728', 'memory_20250818', 'computer_20250124', 'tool_search_tool_bm25_20251119'].map(
    (type): Case => [type, messages, message({ tools: [{ type, name: 'tool' }] }), messageOf],
  ),
  [
    'a shell of the client',
    '/v1/responses',
    response({ model: 'gpt-5.6', tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }] }),
    responsesResponse,
  ],
  [
    'results of tools that are cleared',
    messages,
    message({ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015' }] } }),
    messageOf,
  ],
]

describe('a prompt of 190,000 tokens', () => {
  test.each(seen)('is not charged for a letter with %s', async (_, path, body, response) => {
    const row = await rowOf(path, body, response(190_000))
    expect(row.usage_suspect).toBe(true)
    expect(row.prompt_tokens).toBeLessThan(2_000)
    expect(await rowOf(path, body, response(900))).toMatchObject({ usage_suspect: false, prompt_tokens: 900 })
  })

  const read: readonly Case[] = [
    ['a search', messages, message({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), messageOf],
    // Only a shell has a place where it runs.
    [
      'a fetch that says that it is local',
      messages,
      message({ tools: [{ type: 'web_fetch_20250910', name: 'f', environment: { type: 'local' } }] }),
      messageOf,
    ],
    [
      'a container that says that it is local',
      '/v1/responses',
      response({ model: 'gpt-5.6', tools: [{ type: 'code_interpreter', environment: { type: 'local' } }] }),
      responsesResponse,
    ],
    ['earlier turns that are summed up', messages, message({ context_management: { edits: [{ type: 'compact_20260112' }] } }), messageOf],
  ]
  test.each(read)('is charged for a letter with %s', async (_, path, body, response) => {
    expect(await rowOf(path, body, response(190_000))).toMatchObject({ usage_suspect: false, prompt_tokens: 190_000 })
  })
})

const words = 'word '.repeat(8_000)
const marked = (mark: object | null) => [
  { role: 'user', content: [{ type: 'text', text: words, ...(mark === null ? {} : { cache_control: mark }) }] },
]

describe('a cache for an hour', () => {
  const written = messageResponse({
    ...{ input_tokens: 10, cache_creation_input_tokens: 10_000 },
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10_000 },
  })

  test.each<[string, object | null, number]>([
    ['for an hour', { type: 'ephemeral', ttl: '1h' }, 2],
    ['for five minutes', { type: 'ephemeral' }, 1.25],
    ['not at all', null, 1],
  ])('costs what the request used: %s', async (_, mark, factor) => {
    const row = await rowOf(messages, message({ messages: marked(mark) }), written)
    expect(row.quota).toBe(Math.ceil(10 * 0.5 + 10_000 * 0.5 * factor + 5 * 2.5))
  })

  test('may be requested in any place that allows cache breakpoints', async () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const places = [
      mark,
      { system: [{ type: 'text', text: 'x', ...mark }] },
      { tools: [{ name: 'f', input_schema: parameters, ...mark }] },
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: words, ...mark }] }],
          },
        ],
      },
    ]
    for (const place of places) {
      const row = await rowOf(messages, message({ messages: marked(null), ...place }), written)
      expect(row.quota).toBe(5 + 10_000 + 13)
    }
    const call = { type: 'tool_use', id: 't', name: 'f', input: mark }
    const turns = [...marked(null), { role: 'assistant', content: [call] }]
    expect((await rowOf(messages, message({ messages: turns }), written)).quota).toBe(5 + 5_000 + 13)
  })
})

/** What a request needs, as its refusal says, for an account with nothing. */
async function neededFor(path: string, body: object): Promise<number> {
  const poor = await accountScene(app, { quota: 1 })
  const response = await poor.send(path, body)
  const text = await response.text()
  expect(response.status).toBe(403)
  return Number(/at least (\d+)/.exec(text)?.[1])
}

describe('a prompt that may be written to a cache', () => {
  test('is reserved at the price of that', async () => {
    const needed = (mark: object | null) => neededFor(messages, message({ messages: marked(mark) }))
    const output = 100 * 2.5
    const plain = (await needed(null)) - output
    expect(plain).toBeGreaterThan(4_000)
    expect(((await needed({ type: 'ephemeral' })) - output) / plain).toBeCloseTo(1.25, 3)
    expect(((await needed({ type: 'ephemeral', ttl: '1h' })) - output) / plain).toBeCloseTo(2, 3)
  })

  test('is reserved so without marks, where its vendor needs none', async () => {
    const body = { model: 'gpt-5.6', max_tokens: 1, messages: marked(null) }
    expect(await neededFor('/v1/chat/completions', body)).toBeWithin(8_000 * 2 * 1.25, 10_100 * 2 * 1.25)
  })
})

test('tools that the model loads later count toward its prompt', async () => {
  const tools = Array.from({ length: 20 }, (_, at) => ({
    ...{ name: `f${at}`, description: words.slice(0, 4_000), input_schema: parameters },
    defer_loading: true,
  }))
  const body = message({ tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'find' }, ...tools] })
  expect(await rowOf(messages, body, messageOf(20_000))).toMatchObject({ usage_suspect: false, prompt_tokens: 20_000 })
  expect(await rowOf(messages, body, messageOf(190_000))).toMatchObject({ usage_suspect: true })
})
