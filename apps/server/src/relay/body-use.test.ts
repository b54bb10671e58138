import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, type InputOf } from '@sluice/contract'
import { accountScene } from '../../test/account-scene.ts'
import { type TestApp, testApp } from '../../test/app.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../test/fake-upstream.ts'
import { type FakeProxy, startHttpProxy } from '../../test/proxies.ts'

// What a body can make a vendor bill beside the tokens of the requested model. Prices in quota units for a token: claude-haiku-4-5 0.5 and 2.5,
// claude-opus-4-8 2.5 and 12.5, openai/gpt-4o-mini 0.075 and 0.3.

let app: TestApp
/** By which hosts of vendors lead to the double. */
let proxy: FakeProxy
beforeAll(async () => {
  app = await testApp()
  proxy = await startHttpProxy({ port: Number(new URL(app.upstream.url).port) })
  const rules = {
    cheap: { ratio: 1, completion: 1 },
    'cheap-finder': { ratio: 1, completion: 1, search: 0.01 },
    dear: { ratio: 10, completion: 1 },
    'maker/dear-1': { ratio: 10, completion: 1 },
    'maker/cheap-1': { ratio: 1, completion: 1, search: 0.01, priority: 2 },
  }
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  proxy.close()
  await app.close()
})

type Settings = Omit<InputOf<typeof contract.channel.update>, 'id'>
type Channel = Settings & { readonly type: number }

const models = 'cheap,dear,cheap-finder,maker/cheap-1,maker/dear-1'

/** An account whose channels are tried in this order. */
async function scene(channels: readonly Channel[], tokenModels = '') {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const account = await accountScene(app, { groups: group, quota: 10_000_000, ...(tokenModels === '' ? {} : { models: tokenModels }) })
  const ids: number[] = []
  for (const [index, { type, ...settings }] of channels.entries()) {
    const id = await app.make.channel({ groups: group, priority: -index, type, models })
    await app.data(contract.channel.update, { id, key: 'upstream-key', ...settings })
    ids.push(id)
  }
  return {
    ids,
    rowOf: account.row,
    async post(path: string, body: object, ...responses: readonly Script[]) {
      const { status, text, row, upstreamBodies } = await account.call(path, body, ...responses)
      return { status, text, row, upstreamCount: upstreamBodies.length }
    },
  }
}

const chat = (more: object = {}) => ({ model: 'cheap', messages: [{ role: 'user', content: 'Hi' }], ...more })
const message = (more: object = {}) => ({ model: 'cheap', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...more })

const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'dear' }
const counts = (input: number, output: number) => ({
  ...{ input_tokens: input, output_tokens: output, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
})
const messageResponse = (usage: object) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'cheap', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'Hello' }],
  usage,
})
const messageEvents = (usage: object): Script =>
  events([
    { type: 'message_start', message: { ...messageResponse(counts(100, 1)), content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
const advised = {
  ...counts(100, 10),
  iterations: [
    { type: 'message', ...counts(100, 10) },
    { type: 'advisor_message', model: 'dear', ...counts(1_000, 50) },
  ],
}

describe('a model that a body names', () => {
  const places: ReadonlyArray<readonly [number, string, object, string]> = [
    [14, '/v1/messages', message({ tools: [{ name: 'f', input_schema: { type: 'object' } }, advisor] }), 'tools[1].model'],
    [14, '/v1/chat/completions', chat({ tools: [advisor] }), 'tools[0].model'],
    [14, '/v1/messages', message({ fallbacks: [{ model: 'dear' }] }), 'fallbacks[0].model'],
    [20, '/v1/chat/completions', chat({ models: ['cheap', 'dear'] }), 'models[1]'],
    [1, '/v1/responses', { model: 'cheap', input: 'Hi', tools: [{ type: 'image_generation', model: 'dear' }] }, 'tools[0].model'],
    [8, '/v1/chat/completions', chat({ fallbacks: [{ cheap: ['dear'] }] }), 'fallbacks[0].cheap[0]'],
    [8, '/v1/chat/completions', chat({ fallbacks: ['cheap', 'dear'] }), 'fallbacks[1]'],
    [8, '/v1/chat/completions', chat({ context_window_fallbacks: [{ cheap: ['dear'] }] }), 'context_window_fallbacks[0].cheap[0]'],
    [
      8,
      '/v1/chat/completions',
      chat({ fallbacks: [{ cheap: [{ model: 'cheap', fallbacks: ['dear'] }] }] }),
      'fallbacks[0].cheap[0].fallbacks',
    ],
    [8, '/v1/chat/completions', chat({ models: [...Array.from({ length: 100 }, () => 'cheap'), 'dear'] }), 'models[100]'],
    [8, '/v1/messages', message({ content_policy_fallbacks: [{ cheap: ['dear'] }] }), 'content_policy_fallbacks[0].cheap[0]'],
    [8, '/v1/responses', { model: 'cheap', input: 'Hi', default_fallbacks: ['dear'] }, 'default_fallbacks[0]'],
    [
      8,
      '/v1/embeddings',
      { model: 'cheap', input: 'Hi', router_settings_override: { fallbacks: [{ cheap: ['dear'] }] } },
      'override.fallbacks[0].cheap[0]',
    ],
  ]

  test.each(places)('at a channel of type %i, %s, must be on the list of the token (%j)', async (type, path, body, place) => {
    const { post } = await scene([{ type }], 'cheap')
    const refused = await post(path, body)
    expect([refused.status, refused.text, refused.upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
    expect(refused.text).toContain('dear')
  })

  test.each(places)('at a channel of type %i, %s, must have a price (%j)', async (type, path, body, place) => {
    const { post } = await scene([{ type }])
    const refused = await post(path, JSON.parse(JSON.stringify(body).replace('"dear"', '"nobody-knows"')))
    expect([refused.status, refused.text, refused.upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
    expect(refused.text).toContain('nobody-knows')
  })

  test('of the token, with a price, is sent to a server of one’s own in LiteLLM’s form, and is reserved and charged', async () => {
    const { post } = await scene([{ type: 8 }], 'cheap,dear')
    const body = chat({ fallbacks: [{ cheap: ['dear'] }], num_retries: 2 })
    const responded = await post('/v1/chat/completions', body, json(chatResponse()))
    expect(responded).toMatchObject({ status: 200, upstreamCount: 1 })
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ fallbacks: [{ cheap: ['dear'] }] })
    const alone = await post('/v1/chat/completions', chat(), json(chatResponse()))
    expect(responded.row?.quota).toBe((alone.row?.quota ?? 0) * 10)
    const named = await post('/v1/chat/completions', chat({ fallbacks: [{ model: 'dear' }] }), json(chatResponse()))
    expect(named.row?.quota).toBe(responded.row?.quota ?? 0)
  })

  test('in a batch is refused by its place, as a tool without a price is', async () => {
    const { post } = await scene([{ type: 14 }])
    const batch = (more: object) => ({
      requests: [
        { custom_id: 'a', params: message() },
        { custom_id: 'b', params: message(more) },
      ],
    })
    const named = await post('/v1/messages/batches', batch({ fallbacks: [{ model: 'dear' }] }))
    expect([named.status, named.text, named.upstreamCount]).toEqual([
      400,
      expect.stringContaining('requests[1].params.fallbacks[0].model'),
      0,
    ])
    const unknown = await post('/v1/messages/batches', batch({ tools: [{ type: 'oracle', name: 'oracle' }] }))
    expect([unknown.status, unknown.text, unknown.upstreamCount]).toEqual([
      400,
      expect.stringContaining('requests[1].params.tools[0].type'),
      0,
    ])
  })

  test('that many times over is refused, at servers of one’s own too', async () => {
    const { post } = await scene([{ type: 8 }])
    const many = Array.from({ length: 100 }, (_, index) => `m${index}`)
    expect(await post('/v1/chat/completions', chat({ models: many }))).toMatchObject({ status: 400, upstreamCount: 0 })
  })
})

describe('an advisor', () => {
  test('is charged at its own price, for whole responses, streams, and clients of other protocols', async () => {
    const { post } = await scene([{ type: 14 }])
    const quota = 100 + 10 + (1_000 + 50) * 10
    expect((await post('/v1/messages', message({ tools: [advisor] }), json(messageResponse(advised)))).row?.quota).toBe(quota)
    expect((await post('/v1/messages', message({ stream: true, tools: [advisor] }), messageEvents(advised))).row?.quota).toBe(quota)
    expect((await post('/v1/chat/completions', chat({ tools: [advisor] }), json(messageResponse(advised)))).row?.quota).toBe(quota)
    expect((await post('/v1/chat/completions', chat({ stream: true, tools: [advisor] }), messageEvents(advised))).row?.quota).toBe(quota)
  })

  test('that the request does not name costs nothing', async () => {
    const { post } = await scene([{ type: 14 }])
    expect((await post('/v1/messages', message(), json(messageResponse(advised)))).row?.quota).toBe(110)
  })
})

describe('a model that responds in place of the requested one', () => {
  const declined = { type: 'message', model: 'cheap', ...counts(100, 0) }
  const served = { type: 'fallback_message', model: 'dear', ...counts(120, 10) }
  const body = message({ fallbacks: [{ model: 'dear' }] })

  test('costs what it costs, and a declined attempt without output costs nothing', async () => {
    const { post } = await scene([{ type: 14 }])
    const usage = { ...counts(120, 10), iterations: [declined, served] }
    expect((await post('/v1/messages', body, json(messageResponse(usage)))).row?.quota).toBe(1_300)
    expect((await post('/v1/messages', { ...body, stream: true }, messageEvents(usage))).row?.quota).toBe(1_300)
    const begun = { ...usage, iterations: [{ ...declined, output_tokens: 5 }, served] }
    expect((await post('/v1/messages', body, json(messageResponse(begun)))).row?.quota).toBe(1_300 + 105)
    expect((await post('/v1/messages', body, json(messageResponse(counts(100, 10))))).row?.quota).toBe(110)
  })

  test('is named in OpenRouter’s response, and the vendor’s own cost is the cost of the row', async () => {
    const { post } = await scene([{ type: 20 }])
    const named = { model: 'maker/cheap-1', models: ['maker/cheap-1', 'maker/dear-1'] }
    const response = (model: string, usage: object = {}) =>
      json({ ...chatResponse('Hello', { prompt_tokens: 100, completion_tokens: 10, cost: 0.06, ...usage }), model })
    expect((await post('/v1/chat/completions', chat(named), response('maker/dear-1-20260101'))).row).toMatchObject({
      quota: 1_100,
      cost: 30_000,
    })
    expect((await post('/v1/chat/completions', chat(named), response('maker/cheap-1'))).row).toMatchObject({ quota: 110, cost: 30_000 })
    // Another name than any of these, or none: it may be the most expensive one.
    expect((await post('/v1/chat/completions', chat(named), response('who/knows'))).row?.quota).toBe(1_100)
    expect((await post('/v1/chat/completions', chat({ model: 'maker/cheap-1' }), response('maker/dear-1'))).row?.quota).toBe(110)
    const odd = await post('/v1/chat/completions', chat({ model: 'maker/cheap-1' }), response('maker/cheap-1', { cost: -1 }))
    expect(odd.row?.cost).not.toBe(-500_000)
  })

  test('is the most expensive one, if the response breaks off before it names one', async () => {
    const { post, rowOf } = await scene([{ type: 20 }])
    const bodyWith = (names: readonly string[]) => chat({ model: 'maker/cheap-1', models: names, stream: true })
    const cut = (): Script => events([chatChunk({ content: 'Hello world' })], [{ do: 'cut' }])
    await post('/v1/chat/completions', bodyWith([]), cut())
    const cheap = await rowOf()
    await post('/v1/chat/completions', bodyWith(['maker/dear-1']), cut())
    expect((await rowOf())?.quota).toBe((cheap?.quota ?? 0) * 10)
  })
})

describe('a member or a tool without a price', () => {
  const unknown: ReadonlyArray<readonly [number, string, object, string]> = [
    [1, '/v1/chat/completions', chat({ premium_mode: true }), 'premium_mode'],
    [3, '/v1/chat/completions', chat({ data_sources: [{ type: 'azure_search' }] }), 'data_sources'],
    [20, '/v1/chat/completions', chat({ preset: 'mine' }), 'preset'],
    [20, '/v1/chat/completions', chat({ provider: { only: ['azure'] } }), 'provider.only'],
    [20, '/v1/chat/completions', chat({ plugins: [{ id: 'web' }] }), 'plugins[0].id'],
    [20, '/v1/chat/completions', chat({ tools: [{ type: 'openrouter:advisor', parameters: { model: 'cheap' } }] }), 'tools[0].type'],
    [20, '/v1/messages', message({ stop_server_tools_when: [{ type: 'step_count_is', step_count: 100 }] }), 'stop_server_tools_when'],
    [20, '/v1/messages', message({ tools: [{ type: 'openrouter:shell' }] }), 'tools[0].type'],
    [29, '/v1/chat/completions', chat({ tools: [{ type: 'browser_search' }] }), 'tools[0].type'],
    [32, '/v1/chat/completions', chat({ tools: [{ type: 'retrieval' }] }), 'tools[0].type'],
    [36, '/v1/messages', message({ tools: [{ type: 'oracle_20270101', name: 'oracle' }] }), 'tools[0].type'],
    [14, '/v1/messages', message({ billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }), 'billing_policy'],
    [14, '/v1/messages', message({ tools: [{ type: 'oracle_20270101', name: 'oracle' }] }), 'tools[0].type'],
    [14, '/v1/messages', message({ fallbacks: 'default' }), 'fallbacks'],
    [14, '/v1/messages', message({ fallbacks: [{ model: 'cheap', turbo: 1 }] }), 'fallbacks[0].turbo'],
    [1, '/v1/responses', { model: 'cheap', input: 'Hi', tools: [{ type: 'oracle' }] }, 'tools[0].type'],
    [1, '/v1/responses', { model: 'cheap', input: 'Hi', access_programs: {} }, 'access_programs'],
    [1, '/v1/responses', { model: 'cheap', input: 'Hi', multi_agent: { enabled: true } }, 'multi_agent'],
    [
      24,
      '/v1beta/models/cheap:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }], tools: [{ enterpriseWebSearch: {} }] },
      'enterpriseWebSearch',
    ],
    [
      24,
      '/v1beta/models/cheap:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }], generation_config: { routing_config: {} } },
      'generationConfig.routingConfig',
    ],
    [1, '/v1/embeddings', { model: 'cheap', input: 'Hi', turbo: 1 }, 'turbo'],
    [1, '/v1/images/generations', { model: 'cheap', prompt: 'Hi', width: 4_096 }, 'width'],
    [40, '/v1/images/generations', { model: 'cheap', prompt: 'Hi', sequential_image_generation: 'auto' }, 'sequential_image_generation'],
    [1, '/v1/audio/speech', { model: 'cheap', input: 'Hi', voice: 'alloy', turbo: 1 }, 'turbo'],
  ]

  test.each(unknown)('is refused by name at a channel of type %i, %s (%j)', async (type, path, body, place) => {
    const { post } = await scene([{ type }])
    const refused = await post(path, body)
    expect([refused.status, refused.text, refused.upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
  })

  test('reaches a channel that allows it, also where another one is tried first', async () => {
    const { post, ids } = await scene([{ type: 1 }, { type: 1, allowed_members: 'other, premium_mode' }])
    const responded = await post('/v1/chat/completions', chat({ premium_mode: true }), json(chatResponse()))
    expect(responded).toMatchObject({ status: 200, upstreamCount: 1, row: { channel: ids[1] } })
    expect(app.upstream.received.at(-1)?.body).toContain('premium_mode')
    expect(await post('/v1/chat/completions', chat({ premium_mode: true, other_mode: 1 }))).toMatchObject({ status: 400, upstreamCount: 0 })
  })

  test('is forwarded to servers that people run themselves, and null is no member', async () => {
    const { post } = await scene([{ type: 8 }])
    expect(await post('/v1/chat/completions', chat({ premium_mode: true }), json(chatResponse()))).toMatchObject({
      status: 200,
      upstreamCount: 1,
    })
    const strict = await scene([{ type: 1 }])
    expect(await strict.post('/v1/chat/completions', chat({ premium_mode: null }), json(chatResponse()))).toMatchObject({ status: 200 })
  })

  test.each([
    ['http://api.x.ai', '/v1/chat/completions', chat({ premium_mode: true }), 'premium_mode'],
    ['http://api.x.ai/v1', '/v1/responses', { model: 'cheap', input: 'Hi', tools: [{ type: 'oracle' }] }, 'tools[0].type'],
    ['http://api.perplexity.ai', '/v1/chat/completions', chat({ tools: [{ type: 'fetch_url' }] }), 'tools[0].type'],
    ['http://eu.api.openai.com', '/v1/embeddings', { model: 'cheap', input: 'Hi', turbo: 1 }, 'turbo'],
    ['http://openrouter.ai./api', '/v1/chat/completions', chat({ provider: { order: ['azure'] } }), 'provider.order'],
  ])(
    'is refused at the host of a vendor that bills it, %s, by channels of servers of one’s own, too: %s (%j)',
    async (url, path, body, place) => {
      const { ids, post } = await scene([{ type: 8, base_url: url, proxy: proxy.url, key: 'sk-vendor' }])
      const refused = await post(path, body)
      expect([refused.status, refused.text, refused.upstreamCount]).toEqual([400, expect.stringContaining(place), 0])
      const known = { model: 'cheap', messages: [{ role: 'user', content: 'Hi' }], search_mode: 'web' }
      expect(await post('/v1/chat/completions', known, json(chatResponse()))).toMatchObject({ status: 200, upstreamCount: 1 })
      await app.data(contract.channel.update, { id: ids[0] ?? 0, allowed_members: 'premium_mode' })
      expect(await post('/v1/chat/completions', chat({ premium_mode: true }), json(chatResponse()))).toMatchObject({
        status: 200,
        upstreamCount: 1,
      })
    },
  )
  const free: ReadonlyArray<readonly [number, string, object, Script]> = [
    [
      40,
      '/v1/images/generations',
      { model: 'cheap', prompt: 'Hi', sequential_image_generation: 'disabled', sequential_image_generation_options: { max_images: 1 } },
      json({ created: 1, data: [{ url: 'https://a.example/1.png' }] }),
    ],
    [20, '/v1/messages', message({ session_id: 's-1', provider: { zdr: true }, trace: { trace_id: 't' } }), json(chatResponse())],
    [28, '/v1/chat/completions', chat({ document_page_limit: 4, document_image_limit: 8 }), json(chatResponse())],
  ]
  test.each(free)('is none if it costs nothing, at a channel of type %i, %s (%j)', async (type, path, body, response) => {
    const { post } = await scene([{ type }])
    expect(await post(path, body, response)).toMatchObject({ status: 200, upstreamCount: 1 })
  })

  test('is allowed by root alone (contract.channel.update)', async () => {
    const { ids } = await scene([{ type: 1 }])
    const admin = await app.make.user({ role: 10 })
    const id = ids[0] ?? 0
    expect(await app.call(contract.channel.update, { id, allowed_members: 'preset' }, admin)).toMatchObject({
      success: false,
      message: en.allowed_members_root,
    })
    expect(await app.call(contract.channel.update, { id, allowed_members: '', weight: 2 }, admin)).toMatchObject({ success: true })
    expect(await app.data(contract.channel.update, { id, allowed_members: ' preset,, provider.order ,preset' })).toMatchObject({
      allowed_members: 'preset,provider.order',
    })
    expect(await app.call(contract.channel.update, { id, allowed_members: 'no spaces' })).toMatchObject({ success: false })
    expect(await app.call(contract.channel.update, { id, allowed_members: 'preset,provider.order' }, admin)).toMatchObject({
      success: true,
    })
  })
})

describe('a count that the request cannot have caused', () => {
  const searched = { prompt_tokens: 100, completion_tokens: 10, server_tool_use: { web_search_requests: 1_000 } }

  test('is not charged: searches without a tool, and more of them than were allowed', async () => {
    const { post } = await scene([{ type: 20 }, { type: 14 }])
    const fields = { model: 'maker/cheap-1' }
    expect((await post('/v1/chat/completions', chat(fields), json(chatResponse('Hello', searched)))).row?.quota).toBe(110)
    const tools = [{ type: 'web_search' }]
    const capped = await post('/v1/chat/completions', chat({ ...fields, tools }), json(chatResponse('Hello', searched)))
    expect(capped.row?.quota).toBe(110 + 200 * 5_000)
    const claude = await scene([{ type: 14 }])
    const limited = { model: 'cheap-finder', tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] }
    const usage = { ...counts(100, 10), server_tool_use: { web_search_requests: 50 } }
    expect((await claude.post('/v1/messages', message(limited), json(messageResponse(usage)))).row?.quota).toBe(110 + 3 * 5_000)
  })

  test('is not charged: a dearer tier than the request names', async () => {
    const { post } = await scene([{ type: 1 }])
    const response = json({ ...chatResponse('Hello', { prompt_tokens: 100, completion_tokens: 10 }), service_tier: 'priority' })
    const fields = { model: 'maker/cheap-1' }
    expect((await post('/v1/chat/completions', chat(fields), response)).row?.quota).toBe(110)
    expect((await post('/v1/chat/completions', chat({ ...fields, service_tier: 'priority' }), response)).row?.quota).toBe(220)
  })
})
