import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../test/account-scene.ts'
import { type TestApp, testApp } from '../../test/app.ts'
import { chatResponse, events, json, type Script } from '../../test/fake-upstream.ts'
import { type FakeProxy, startHttpProxy } from '../../test/proxies.ts'

// What single vendors take for tools, long prompts and other models. Prices in quota units for a token of input: claude-haiku-4-5 0.5, claude-sonnet-4-5 1.5,
// ernie-4.5-turbo-32k 0.8 yuan a million.

let app: TestApp
/** By which hosts of vendors lead to the double. */
let proxy: FakeProxy
beforeAll(async () => {
  app = await testApp()
  proxy = await startHttpProxy({ port: Number(new URL(app.upstream.url).port) })
  const flat = { ratio: 1, completion: 1 }
  const rules = { 'grok-9': flat, 'maker/cheap': flat, 'maker/dear': { ratio: 10, completion: 1 } }
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
})
afterAll(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
  proxy.close()
  await app.close()
})

interface Place {
  readonly type: number
  readonly models: string
  readonly base_url?: string
  readonly quota?: number
}

/** An account with one channel. */
async function scene({ type, models, base_url: url, quota = 1_000_000_000 }: Place) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const account = await accountScene(app, { groups: group, quota })
  const id = await app.make.channel({ groups: group, type, models })
  if (url !== undefined) await app.data(contract.channel.update, { id, base_url: url, proxy: proxy.url, key: 'sk-vendor' })
  return async (path: string, body: object, ...responses: readonly Script[]) => {
    const { status, text, row, upstreamBodies } = await account.call(path, body, ...responses)
    const [first] = upstreamBodies
    return { status, text, quota: row?.quota, upstreamBody: first === undefined ? null : JSON.parse(first) }
  }
}

const greeting = [{ role: 'user', content: 'Hi' }]

describe('xAI, at a channel of a server of one’s own', () => {
  const at = () => scene({ type: 8, models: 'grok-9', base_url: 'http://api.x.ai' })
  const usage = (more: object) => ({ server_side_tool_usage_details: more })
  const responded = (more: object): Script =>
    json({
      ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'grok-9' },
      output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }],
      usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20, ...more },
    })

  test('bills searches and runs of code, in responses and chats', async () => {
    const post = await at()
    const calls = usage({ web_search_calls: 1, x_search_calls: 1, code_interpreter_calls: 2 })
    const tools = [{ type: 'web_search' }, { type: 'x_search' }, { type: 'code_execution' }]
    const price = 20 + 2 * 5_000 + 2 * 15_000
    expect((await post('/v1/responses', { model: 'grok-9', input: 'Hi', tools }, responded(calls))).quota).toBe(price)
    const response = json(chatResponse('ok', { prompt_tokens: 10, completion_tokens: 10, ...usage({ code_interpreter_calls: 2 }) }))
    const chat = { model: 'grok-9', messages: greeting, tools: [{ type: 'code_execution' }] }
    expect((await post('/v1/chat/completions', chat, response)).quota).toBe(20 + 2 * 15_000)
    expect((await post('/v1/responses', { model: 'grok-9', input: 'Hi' }, responded(calls))).quota).toBe(20)
  })

  test.each(['view_x_video', 'attachment_search', 'sub_agents'])('is not sent a tool without a price: %s', async (type) => {
    const post = await at()
    const refused = await post('/v1/responses', { model: 'grok-9', input: 'Hi', tools: [{ type }] })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('tools[0].type'), upstreamBody: null })
  })
})

const message = (model: string, more: object = {}) => ({ model, max_tokens: 100, messages: greeting, ...more })
const claudeUsage = { input_tokens: 10, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
const run = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'bash_code_execution', input: { command: 'ls' } }
const claudeResponse = (blocks: readonly object[], usage: object = {}): Script =>
  json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    content: [...blocks, { type: 'text', text: 'ok' }],
    usage: { ...claudeUsage, ...usage },
  })
const claudeEvents = (blocks: readonly object[]): Script =>
  events([
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: claudeUsage } },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: claudeUsage },
    { type: 'message_stop' },
  ])

describe('code that Anthropic runs', () => {
  const model = 'claude-haiku-4-5'
  const code = { type: 'code_execution_20250825', name: 'code_execution' }
  const tokens = 10 * 0.5 + 10 * 2.5
  // Five minutes at five cents an hour.
  const container = 0.0042 * 500_000

  test('costs its shortest time, once for a response, in every protocol', async () => {
    const post = await scene({ type: 14, models: model })
    const body = message(model, { tools: [code] })
    expect((await post('/v1/messages', body, claudeResponse([run, run]))).quota).toBe(tokens + container)
    expect((await post('/v1/messages', { ...body, stream: true }, claudeEvents([run, run]))).quota).toBe(tokens + container)
    expect((await post('/v1/chat/completions', body, claudeResponse([run]))).quota).toBe(tokens + container)
    expect((await post('/v1/chat/completions', { ...body, stream: true }, claudeEvents([run]))).quota).toBe(tokens + container)
    expect((await post('/v1/messages', body, claudeResponse([]))).quota).toBe(tokens)
  })

  test('is free beside its search or fetch, and where it was not requested', async () => {
    const post = await scene({ type: 14, models: model })
    const fetch = { type: 'web_fetch_20260209', name: 'web_fetch', max_uses: 1, max_content_tokens: 100 }
    const search = { type: 'web_search_20260209', name: 'web_search' }
    for (const tools of [[code, fetch], [search, code], []])
      expect((await post('/v1/messages', message(model, { tools }), claudeResponse([run]))).quota).toBe(tokens)
  })

  test('is reserved', async () => {
    const post = await scene({ type: 14, models: model, quota: 1 })
    const needed = async (more: object) => Number(/at least (\d+)/.exec((await post('/v1/messages', message(model, more))).text)?.[1])
    const plain = await needed({ tools: [{ type: 'bash_20250124', name: 'bash' }] })
    expect((await needed({ tools: [code] })) - plain).toBeGreaterThanOrEqual(container)
  })
})

describe('a prompt of more than 200,000 tokens', () => {
  const model = 'claude-sonnet-4-5'
  const long = { ...message(model), messages: [{ role: 'user', content: 'word '.repeat(170_000) }] }

  test('costs twice as much, and is reserved so', async () => {
    const post = await scene({ type: 14, models: model })
    expect((await post('/v1/messages', long, claudeResponse([], { input_tokens: 210_000 }))).quota).toBe(
      Math.ceil(210_000 * 3 + 10 * 3 * 3.75),
    )
    expect((await post('/v1/messages', long, claudeResponse([], { input_tokens: 199_000 }))).quota).toBe(199_000 * 1.5 + 10 * 7.5)
    const poor = await scene({ type: 14, models: model, quota: 500_000 })
    expect(await poor('/v1/messages', long)).toMatchObject({ status: 403, upstreamBody: null })
  })

  test('is none if several calls have so many together', async () => {
    const post = await scene({ type: 14, models: model })
    const call = (tokens: number) => ({ ...claudeUsage, type: 'message', input_tokens: tokens })
    const usage = { input_tokens: 240_000, iterations: [call(120_000), call(120_000)] }
    const tools = [{ type: 'web_fetch_20250910', name: 'web_fetch' }]
    expect((await post('/v1/messages', message(model, { tools }), claudeResponse([], usage))).quota).toBe(240_000 * 1.5 + 20 * 7.5)
  })
})

describe('a search of Baidu', () => {
  const model = 'ernie-4.5-turbo-32k'
  const response = (more: object): Script => json({ ...chatResponse('ok', { prompt_tokens: 1_000, completion_tokens: 10 }), ...more })
  const price = (searches: number) => Math.ceil(((1_000 * 0.8 + 10 * 3.2) / 1_000_000 + searches * 0.008) * (500_000 / 7))
  const ask = (more: object) => ({ model, messages: greeting, max_tokens: 100, ...more })

  test('costs its price, however the response reports it, and its pages are always requested', async () => {
    const post = await scene({ type: 15, models: model })
    const pages = { search_results: [{ index: 1, url: 'https://a.example', title: 'A' }] }
    const hidden = { usage: { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { search_tokens: 700 } } }
    for (const more of [pages, hidden]) {
      const result = await post('/v1/chat/completions', ask({ web_search: { enable: true, enable_trace: false } }), response(more))
      expect([result.quota, result.upstreamBody.web_search]).toEqual([price(1), { enable: true, enable_trace: true }])
    }
    const none = await post('/v1/chat/completions', ask({ web_search: { enable: true } }), response({}))
    expect(none.quota).toBe(price(0))
    expect((await post('/v1/chat/completions', ask({}), response(pages))).quota).toBe(price(0))
  })
})

describe('other models that a request to OpenRouter names', () => {
  test('are sent, and the one that responded is charged', async () => {
    const post = await scene({ type: 20, models: 'maker/cheap,maker/dear' })
    const body = { model: 'maker/cheap', models: ['maker/dear'], input: 'Hi', max_output_tokens: 100 }
    const response = (model: string): Script =>
      json({ ...chatResponse('ok', { prompt_tokens: 10, completion_tokens: 10, cost: 0.00001 }), model })
    const cheap = await post('/v1/responses', body, response('maker/cheap'))
    expect([cheap.quota, cheap.upstreamBody.models]).toEqual([20, ['maker/dear']])
    expect((await post('/v1/responses', body, response('maker/dear'))).quota).toBe(200)
    const usage = { prompt_tokens: 10, completion_tokens: 10 }
    const costless = json({ ...chatResponse('ok', usage), model: 'maker/cheap', provider: 'Maker' })
    expect((await post('/v1/responses', body, costless)).quota).toBe(20)
    expect((await post('/v1/responses', body, json(chatResponse('ok', usage)))).quota).toBe(200)
  })

  test('beside a document, which is read without a charge by the page', async () => {
    const post = await scene({ type: 20, models: 'maker/cheap' })
    const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Read' }, file] }]
    const read = await post('/v1/responses', { model: 'maker/cheap', input, max_output_tokens: 100 }, json(chatResponse()))
    expect(read.upstreamBody.plugins).toEqual([{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }])
  })
})
