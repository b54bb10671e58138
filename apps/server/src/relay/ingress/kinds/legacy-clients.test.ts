import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { chatResponse, events, json } from '../../../../test/fake-upstream.ts'

// Requests of older clients, with other base URLs and other parameter names.

let app: TestApp
let user: TestUser
let key: string
let client: OpenAI
const [model, foreign, plain] = ['gpt-4o-mini', 'claude-sonnet-4-5', 'llama-3.3-70b-versatile'] as const
/** Of DeepSeek, of Zhipu, and of a server behind a custom channel. */
const [toolsOnly, unforced, own] = ['deepseek-v4-flash', 'glm-4.6', 'model-behind-custom'] as const
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ models: model })
  await app.make.channel({ type: 14, models: foreign })
  await app.make.channel({ type: 29, models: plain })
  await app.make.channel({ type: 36, models: toolsOnly })
  await app.make.channel({ type: 16, models: unforced })
  await app.make.channel({ type: 8, models: own })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const messages = [{ role: 'user' as const, content: 'Hi' }]
// Holds: requests sent upstream are objects.
const upstreamBody = () => JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Record<string, unknown>

function ask(
  body: object,
  path = '/v1/chat/completions',
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
): Promise<Response> {
  return app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const claude = (content: readonly unknown[], stop: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: stop,
  usage: { input_tokens: 5, output_tokens: 2 },
})

describe('functions in their old form, at Claude', () => {
  const functions = [{ name: 'weather', description: 'Tells it', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]
  const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }

  test('are called, and the call is in the old form too', async () => {
    app.upstream.script(json(claude([use], 'tool_use')))
    const { choices } = await client.chat.completions.create({ model: foreign, messages, functions, function_call: { name: 'weather' } })
    expect(choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { content: null, function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    })
    expect(choices[0]?.message.tool_calls).toBeUndefined()
    expect(upstreamBody()).toMatchObject({
      tools: [{ name: 'weather', description: 'Tells it' }],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    })
  })

  test('are called within a stream', async () => {
    app.upstream.script(
      events([
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { ...use, input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"city":' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
        { type: 'message_stop' },
      ]),
    )
    const message = await client.chat.completions.stream({ model: foreign, messages, functions }).finalMessage()
    expect(message.function_call).toEqual({ name: 'weather', arguments: '{"city":"Oslo"}' })
  })

  test('and their results are translated in a history', async () => {
    app.upstream.script(json(claude([{ type: 'text', text: 'Rain' }], 'end_turn')))
    const call = { role: 'assistant' as const, content: null, function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } }
    await client.chat.completions.create({
      model: foreign,
      messages: [...messages, call, { role: 'function', name: 'weather', content: 'Rain' }],
      functions,
    })
    const [, assistant, result] = upstreamBody()['messages'] as { content: { type: string; id?: string; tool_use_id?: string }[] }[]
    expect(assistant?.content).toMatchObject([{ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }])
    expect(result?.content).toMatchObject([{ type: 'tool_result', tool_use_id: assistant?.content[0]?.id, content: 'Rain' }])
  })
})

describe('functions in their old form, at servers of the chats of OpenAI', () => {
  const functions = [{ name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]
  const called = { name: 'weather', arguments: '{"city":"Oslo"}' }
  const history = [
    ...messages,
    { role: 'assistant' as const, content: null, function_call: called },
    { role: 'function' as const, name: 'weather', content: 'Rain' },
  ]

  test.each([toolsOnly, own])('that know tools only, are sent as tools, and the call comes back in the old form: %s', async (model) => {
    const calls = [{ id: 'c1', type: 'function', function: called }]
    app.upstream.script(
      json({
        ...chatResponse(),
        choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
      }),
    )
    const { choices } = await client.chat.completions.create({
      model,
      messages: history,
      functions,
      function_call: { name: 'weather' },
    })
    expect(choices[0]).toMatchObject({ finish_reason: 'function_call', message: { content: null, function_call: called } })
    expect(choices[0]?.message.tool_calls).toBeUndefined()
    const { messages: upstreamMessages, ...rest } = upstreamBody()
    expect(rest).toMatchObject({
      tools: [{ type: 'function', function: functions[0] }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    })
    expect([rest['functions'], rest['function_call']]).toEqual([undefined, undefined])
    const [, assistant, result] = upstreamMessages as {
      tool_calls?: { id: string; function: object }[]
      tool_call_id?: string
      role: string
    }[]
    expect(assistant?.tool_calls).toMatchObject([{ function: called }])
    expect(result).toMatchObject({ role: 'tool', tool_call_id: assistant?.tool_calls?.[0]?.id, content: 'Rain' })
  })

  test.each([toolsOnly, own])('stream the call in the old form too: %s', async (model) => {
    const chunk = (delta: object, reason: string | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model },
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    const begun = { index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }
    app.upstream.script(
      events([
        chunk({ role: 'assistant', content: null, tool_calls: [begun] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ]),
    )
    const stream = client.chat.completions.stream({ model, messages, functions })
    const message = await stream.finalMessage()
    expect([message.function_call, message.tool_calls]).toEqual([called, undefined])
    expect((await stream.finalChatCompletion()).choices[0]?.finish_reason).toBe('function_call')
  })

  test('arrive as they were sent where the vendor documents them', async () => {
    app.upstream.script(json(chatResponse()))
    await client.chat.completions.create({ model, messages: history, functions, function_call: 'auto' })
    expect(upstreamBody()).toMatchObject({ functions, function_call: 'auto', messages: history })
  })

  test('are refused by the name that the client knows, where the vendor cannot be forced to call a specific one', async () => {
    const response = await ask({ model: unforced, messages, functions, function_call: { name: 'weather' } })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'parameter_not_offered', param: 'function_call' } },
    ])
  })
})

describe('functions in both forms', () => {
  const declared = { name: 'weather', parameters: { type: 'object', properties: {} } }
  const tools = [{ type: 'function', function: declared }]

  test.each([
    ['functions', { functions: [declared] }],
    ['function_call', { function_call: { name: 'weather' } }],
  ])('%s beside tools is refused by name for every vendor, and nothing is sent or charged', async (param, older) => {
    const [before, balance] = [app.upstream.received.length, await app.data(contract.account.self, {}, user)]
    for (const name of [model, foreign, toolsOnly, own]) {
      const response = await ask({ model: name, messages, tools, ...older })
      expect([name, response.status, await response.json()]).toMatchObject([
        name,
        400,
        { error: { type: 'invalid_request_error', code: 'invalid_parameter', param, message: expect.stringContaining('Use tools') } },
      ])
    }
    expect(app.upstream.received.length).toBe(before)
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(balance.quota)
  })

  test('a field of the other form that is null or empty is none', async () => {
    app.upstream.script(json(chatResponse()), json(chatResponse()))
    expect((await ask({ model, messages, tools, functions: null, function_call: null })).status).toBe(200)
    expect((await ask({ model, messages, tools: [], functions: [declared], function_call: 'auto' })).status).toBe(200)
  })
})

describe('a field that a vendor does not have and that changes the response', () => {
  test.each([
    ['n', foreign, { n: 2 }],
    ['logprobs', foreign, { logprobs: true, top_logprobs: 2 }],
    ['top_logprobs', foreign, { top_logprobs: 2 }],
    ['n', plain, { n: 2 }],
    ['logprobs', plain, { logprobs: true }],
  ])('%s of %s is refused by its name', async (name, requestModel, fields) => {
    const before = app.upstream.received.length
    const response = await ask({ model: requestModel, messages, ...fields })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'parameter_not_offered', param: name } }])
    expect(app.upstream.received.length).toBe(before)
  })

  test('is sent to a channel whose vendor supports it', async () => {
    const own = await app.make.channel({ models: foreign, priority: -5 })
    app.upstream.script(json(chatResponse()))
    expect((await ask({ model: foreign, messages, n: 2 })).status).toBe(200)
    expect([app.upstream.received.at(-1)?.path, upstreamBody()['n']]).toEqual(['/v1/chat/completions', 2])
    await app.data(contract.channel.remove, { id: own })
  })

  test('is left out if it has the default value', async () => {
    app.upstream.script(json(claude([{ type: 'text', text: 'Hi' }], 'end_turn')))
    expect((await ask({ model: foreign, messages, n: 1, logprobs: false })).status).toBe(200)
  })
})

test('a web search uses Claude’s own tool', async () => {
  app.upstream.script(json(claude([{ type: 'text', text: 'News' }], 'end_turn')))
  const options = { user_location: { type: 'approximate' as const, approximate: { country: 'NO' } } }
  await client.chat.completions.create({ model: foreign, messages, web_search_options: options })
  expect(upstreamBody()['tools']).toEqual([
    { type: 'web_search_20250305', name: 'web_search', user_location: { type: 'approximate', country: 'NO' } },
  ])
})

describe('a limit of 0 or -1 means no limit', () => {
  test.each([
    [model, '/v1/chat/completions', { messages, max_tokens: 0 }, {}],
    [model, '/v1/chat/completions', { messages, max_tokens: 7, max_completion_tokens: -1 }, { max_tokens: 7 }],
    [model, '/v1/responses', { input: 'Hi', max_output_tokens: -1 }, {}],
    [plain, '/v1/responses', { input: 'Hi', max_output_tokens: 0 }, {}],
    [foreign, '/v1/chat/completions', { messages, max_tokens: -1 }, {}],
  ])('of %s at %s', async (requestModel, path, fields, expected) => {
    const response =
      path === '/v1/responses' && requestModel === model ? { object: 'response', status: 'completed', output: [] } : chatResponse()
    app.upstream.script(json(requestModel === foreign ? claude([{ type: 'text', text: 'Hi' }], 'end_turn') : response))
    expect((await ask({ model: requestModel, ...fields }, path)).status).toBe(200)
    const limits = Object.entries(upstreamBody()).filter(([name]) => name.startsWith('max_'))
    expect(limits.filter(([, value]) => typeof value !== 'number' || value < 1)).toEqual([])
    expect(Object.fromEntries(limits)).toMatchObject(expected)
  })
})

test('a Responses request at the path of chats gets a chat response, as Cursor reads it', async () => {
  app.upstream.script(json(chatResponse('Hello')))
  const response = await ask({ model: plain, input: 'Hi' })
  expect(await response.json()).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
  })
  expect(await (await ask({ model: plain, input: 7 })).json()).toMatchObject({ error: { param: 'input' } })
})

test.each([
  'prompt is too long: 210000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000',
])('Claude’s "%s" has the code that clients look for', async (message) => {
  app.upstream.script(json({ type: 'error', error: { type: 'invalid_request_error', message } }, 400))
  const response = await ask({ model: foreign, messages })
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { code: 'context_length_exceeded', param: 'messages', message } },
  ])
})

test('a vendor’s account without quota has its own error code', async () => {
  app.upstream.script(
    json({ error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } }, 429),
  )
  const response = await ask({ model, messages })
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'channel_out_of_quota' } }])
  await app.data(contract.channel.update, { id: 1, status: 1 })
})

describe('addresses', () => {
  test.each(['//v1/chat/completions', '/v1//chat/completions', '///v1/chat/completions/'])(
    'of a base that ends in a slash: %s',
    async (path) => {
      app.upstream.script(json(chatResponse()))
      const url = new URL(app.url)
      const response = await fetch(`${url.origin}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, messages }),
      })
      expect(response.status).toBe(200)
    },
  )

  test('of the list of models without a version serve requests with a key', async () => {
    for (const path of ['/models', `/models/${model}`, '/v1/models']) {
      const response = await app.request(path, { headers: { authorization: `Bearer ${key}` } })
      expect([response.status, await response.json()]).toMatchObject([200, { object: path.endsWith('models') ? 'list' : 'model' }])
    }
    const page = await app.request('/models', { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type') ?? '').not.toContain('json')
  })

  test('respond to HEAD as to GET, without a body', async () => {
    const head = await app.request('/v1/models', { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
    expect([head.status, head.headers.get('content-type')?.split(';')[0], await head.text()]).toEqual([200, 'application/json', ''])
    expect((await app.request('/v1/nothing', { method: 'HEAD' })).status).toBe(404)
  })

  test('accept the key in the header of Azure’s client', async () => {
    app.upstream.script(json(chatResponse('Hi')))
    expect((await ask({ model, messages }, '/v1/chat/completions', { 'api-key': key })).status).toBe(200)
  })
})

describe('a self-hosted server', () => {
  const create = (fields: object) =>
    app.call(contract.channel.create, { name: 'Own', type: 8, models: 'own-model', base_url: app.upstream.url, ...fields } as never)

  test('needs no key if it requires none, and its address may end in the path of chats', async () => {
    expect(await create({ key: '', base_url: `${app.upstream.url}/v1/chat/completions` })).toMatchObject({ success: true })
    app.upstream.script(json(chatResponse()))
    expect((await ask({ model: 'own-model', messages })).status).toBe(200)
    const got = app.upstream.received.at(-1)
    expect([got?.path, got?.headers['authorization']]).toEqual(['/v1/chat/completions', undefined])
    app.upstream.script(json({ data: [{ id: 'own-model' }] }))
    const upstreamModels = await app.data(contract.channel.upstreamModelsOf, { type: 8, key: '', base_url: `${app.upstream.url}/v1` })
    expect([upstreamModels, app.upstream.received.at(-1)?.path]).toEqual([['own-model'], '/v1/models'])
  })

  test('of a type that always asks for a key needs one', async () => {
    expect(await create({ type: 1, key: ' ' })).toMatchObject({ success: false, message: 'please fill in the channel name and key' })
  })
})

test('a request that was resent over a new connection counts as two attempts', async () => {
  app.upstream.script(json(chatResponse()), [{ do: 'cut' }], json(chatResponse('Again')))
  expect((await ask({ model, messages })).headers.get('x-attempts')).toBe('1')
  const response = await ask({ model, messages })
  expect(response.headers.get('x-attempts')).toBe('2')
  await response.text()
  const [row] = await app.data(contract.log.list, { type: 2 })
  expect(row?.attempts).toBe(2)
})

test('a request that is refused because every channel is in cooldown has a log row, at most one a second', async () => {
  const group = 'resting'
  const resting = await app.make.user({ groups: group })
  const token = (await app.make.token(resting)).key
  await app.make.channel({ groups: group, models: model })
  app.upstream.script(json({ error: { message: 'Too many' } }, 429, { 'retry-after': '30' }))
  const as = { authorization: `Bearer ${token}` }
  await ask({ model, messages }, undefined, as)
  const refused = await ask({ model, messages }, undefined, as)
  expect(refused.status).toBe(429)
  await ask({ model, messages }, undefined, as)
  await app.app.ledger.drain()
  const rows = await app.data(contract.log.listSelf, {}, resting)
  const mine = rows.filter(({ content }) => content.includes('upstream_rate_limited'))
  expect(mine).toHaveLength(2)
  expect(rows.find(({ request_id: id }) => id === refused.headers.get('x-request-id'))).toMatchObject({ quota: 0, end_reason: 'failed' })
})
