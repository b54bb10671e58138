import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { chatResponse, json, type Script } from './fake-upstream.ts'
import { pieces } from './vendors/vendor-double.ts'

// Calls besides chats at vendors with a protocol of their own, and translations.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

interface ChannelSetup {
  readonly other?: string
  readonly models: string
  readonly key: string
  readonly mapping?: Record<string, string>
}

/** A new account with one channel that responds with the given scripts. */
async function at(type: number, { models, key, mapping, other = '' }: ChannelSetup, ...scripts: Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key: token } = await app.make.token(user)
  await app.make.channel({ groups: group, type, models, key, other, ...(mapping === undefined ? {} : { mapping }) })
  app.upstream.script(...scripts)
  return { user, token, client: new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 }) }
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

async function errorOf(call: PromiseLike<unknown>) {
  try {
    await call
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  return null
}

const lastBody = (): unknown => JSON.parse(app.upstream.received.at(-1)?.body ?? 'null')

describe('DeepL', () => {
  const channel = { models: 'deepl-en', key: 'vendor-key:fx' }
  const translated = json({ translations: [{ detected_source_language: 'DE', text: 'Hello' }] })
  const ask = { model: 'deepl-en', messages: [{ role: 'user' as const, content: 'Hallo' }] }

  test('translates, and is charged by the character', async () => {
    const { client, user } = await at(38, channel, translated)
    const upstreamResponse = await client.chat.completions.create(ask)
    expect(upstreamResponse.choices[0]?.message.content).toBe('Hello')
    expect(app.upstream.received.at(-1)).toMatchObject({
      path: '/v2/translate',
      headers: { authorization: 'DeepL-Auth-Key vendor-key:fx' },
    })
    expect(lastBody()).toEqual({ text: ['Hallo'], target_lang: 'EN-US' })
    expect(await lastLog(user)).toMatchObject({ prompt_tokens: 4, completion_tokens: 1, estimated: false, quota: 63 })
  })

  test('responds to a stream request with one chunk', async () => {
    const { client } = await at(38, channel, translated)
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true })) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello')
  })

  test('refuses tools by their name', async () => {
    const { client } = await at(38, channel)
    const tools = [{ type: 'function' as const, function: { name: 'f' } }]
    expect(await errorOf(client.chat.completions.create({ ...ask, tools }))).toMatchObject({ status: 400, param: 'tools' })
  })
})

describe('embeddings', () => {
  test.each([
    [
      33,
      { models: 'amazon-titan-embed-text', key: 'ak|sk|us-east-1' },
      '/model/amazon.titan-embed-text-v1/invoke',
      json({ embedding: [1, 2], inputTextTokenCount: 7 }),
    ],
    [30, { models: 'nomic-embed-text:latest', key: 'k' }, '/api/embed', json({ embeddings: [[1, 2]], prompt_eval_count: 7 })],
    [
      35,
      { models: 'embed-v4.0', key: 'k' },
      '/v2/embed',
      json({ embeddings: { float: [[1, 2]] }, meta: { billed_units: { input_tokens: 7 } } }),
    ],
  ] as const)('of type %d are translated and charged', async (type, channel, path, script) => {
    const { client, user } = await at(type, channel, script)
    const upstreamResponse = await client.embeddings.create({ model: channel.models, input: 'Hi', encoding_format: 'float' })
    expect(upstreamResponse.data[0]?.embedding).toEqual([1, 2])
    expect(app.upstream.received.at(-1)?.path).toBe(path)
    expect(await lastLog(user)).toMatchObject({ prompt_tokens: 7 })
  })
})

test('Cohere’s rerank is passed on to its second interface', async () => {
  const results = [{ index: 1, relevance_score: 0.9 }]
  const { token } = await at(
    35,
    { models: 'rerank-v3.5', key: 'k' },
    json({ id: 'r', results, meta: { billed_units: { search_units: 1 } } }),
  )
  const response = await app.request('/v1/rerank', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'] }),
  })
  expect(await response.json()).toMatchObject({ results })
  expect(app.upstream.received.at(-1)?.path).toBe('/v2/rerank')
})

test('Bedrock ranks documents, and is paid by the query', async () => {
  const results = [{ index: 1, relevance_score: 0.9 }]
  const { token, user } = await at(33, { models: 'rerank-v3.5', key: 'ak|sk|us-east-1' }, json({ results }))
  const response = await app.request('/v1/rerank', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'] }),
  })
  expect(await response.json()).toMatchObject({ results })
  expect(app.upstream.received.at(-1)?.path).toBe('/model/cohere.rerank-v3-5%3A0/invoke')
  // 0.002 dollars.
  expect((await lastLog(user))?.quota).toBe(1_000)
})

test('an API key of Bedrock is sent as it is, without a signature', async () => {
  const text = { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn' }
  const { client } = await at(33, { models: 'amazon-nova-pro', key: 'the-api-key|eu-west-1' }, json(text))
  await client.chat.completions.create({ model: 'amazon-nova-pro', messages: [{ role: 'user', content: 'Hi' }] })
  expect(app.upstream.received.at(-1)).toMatchObject({
    path: '/model/eu.amazon.nova-pro-v1%3A0/converse',
    headers: { authorization: 'Bearer the-api-key' },
  })
})

test('Azure’s deployments are called by their path and version, with the key in its own header', async () => {
  const upstreamResponse = {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  }
  const { client } = await at(3, { models: 'gpt-4.1', key: 'azure-key' }, json(upstreamResponse))
  await client.chat.completions.create({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hi' }] })
  expect(app.upstream.received.at(-1)).toMatchObject({
    path: '/openai/deployments/gpt-4.1/chat/completions?api-version=2024-03-01-preview',
    headers: { 'api-key': 'azure-key' },
  })
})

test.each([
  ['', '/openai/v1/responses'],
  ['2024-10-21', '/openai/v1/responses'],
  ['2025-04-01-preview', '/openai/responses?api-version=2025-04-01-preview'],
  ['v1', '/openai/v1/responses'],
])('responses of a channel of Azure with the version "%s" are at %s', async (other, path) => {
  const output = [
    { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
  ]
  const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 }
  const upstreamResponse = { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4.1', output, usage }
  const { client, user } = await at(3, { models: 'gpt-4.1', key: 'azure-key', other }, json(upstreamResponse))
  const response = await client.responses.create({ model: 'gpt-4.1', input: 'Hi' })
  expect(response.output_text).toBe('Hi')
  expect(app.upstream.received.at(-1)).toMatchObject({ path, headers: { 'api-key': 'azure-key' } })
  expect(await lastLog(user)).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 })
})

test('Claude on Azure responds in Anthropic’s format, with the key of the resource', async () => {
  const upstreamResponse = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 2 },
  }
  const { client, user } = await at(3, { models: 'claude-sonnet-5', key: 'azure-key' }, json(upstreamResponse))
  const completion = await client.chat.completions.create({ model: 'claude-sonnet-5', messages: [{ role: 'user', content: 'Hi' }] })
  expect(completion.choices[0]?.message.content).toBe('Hi')
  expect(app.upstream.received.at(-1)).toMatchObject({
    path: '/anthropic/v1/messages',
    headers: { 'api-key': 'azure-key', 'anthropic-version': '2023-06-01' },
  })
  expect(await lastLog(user)).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 })
})

test('OpenRouter reads a document without a charge by the page', async () => {
  const { client } = await at(20, { models: 'deepseek/deepseek-v4-flash', key: 'sk-or-v1-1' }, json(chatResponse('Read')))
  const file = { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } }
  const completion = await client.chat.completions.create({
    model: 'deepseek/deepseek-v4-flash',
    messages: [{ role: 'user', content: [file] }],
  })
  expect(completion.choices[0]?.message.content).toBe('Read')
  expect(lastBody()).toMatchObject({ plugins: [{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }] })
})

test('OpenRouter searches the web by its own tool, which is paid by the search, and its citations are passed on', async () => {
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 } }]
  const searched = { web_search_requests: 2 }
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, server_tool_use_details: searched }
  const message = { role: 'assistant', content: 'Dry', annotations }
  const whole = { id: 'gen-1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }
  const older = { ...whole, usage: { ...usage, server_tool_use_details: null, server_tool_use: searched } }
  const channel = { models: 'openai/gpt-4o-mini', key: 'sk-or-v1-1' }
  const { client, user } = await at(20, channel, json(whole), json(older))
  const ask = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const completion = await client.chat.completions.create({ ...ask, web_search_options: { search_context_size: 'high' } })
  expect(completion.choices[0]?.message.annotations).toMatchObject(annotations)
  expect(lastBody()).toMatchObject({ tools: [{ type: 'openrouter:web_search', parameters: { search_context_size: 'high' } }] })
  // Two searches at 0.02 dollars, and 0.15 and 0.60 dollars for a million tokens.
  const quota = 20_000 + Math.ceil(100 * 0.075 + 10 * 0.3)
  expect((await lastLog(user))?.quota).toBe(quota)

  const response = await client.responses.create({ model: ask.model, input: 'Hi', tools: [{ type: 'web_search' }] })
  expect(response.output_text).toBe('Dry')
  expect(lastBody()).toMatchObject({ tools: [{ type: 'openrouter:web_search' }] })
  expect((await lastLog(user))?.quota).toBe(quota)
})

test('a search of the web is refused by name where the vendor has none', async () => {
  const { client } = await at(28, { models: 'mistral-large-4', key: 'k' })
  const ask = { model: 'mistral-large-4', messages: [{ role: 'user' as const, content: 'Hi' }], web_search_options: {} }
  expect(await errorOf(client.chat.completions.create(ask))).toMatchObject({
    status: 400,
    code: 'parameter_not_offered',
    param: 'web_search_options',
  })
})

test('a response that Claude’s vendor keeps within a region costs more, as the vendor reports it', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 100 }
  const upstreamResponse = (place: string) =>
    json({ type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: { ...usage, inference_geo: place } })
  const model = 'claude-sonnet-4-6'
  const { token, user } = await at(14, { models: model, key: 'k' }, upstreamResponse('us'), upstreamResponse('global'))
  const quotaIn = async (place: string): Promise<number | undefined> => {
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], inference_geo: place }),
    })
    expect(lastBody()).toMatchObject({ inference_geo: place })
    return (await lastLog(user))?.quota
  }
  const plain = 1_000 * 1.5 + 100 * 7.5
  expect([await quotaIn('us'), await quotaIn('global')]).toEqual([plain * 1.1, plain])
})

test('a forced tool is refused by name where the model takes none, and goes to a channel whose model does', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'f' } }]
  const ask = { model: 'claude-opus-5-5', messages: [{ role: 'user' as const, content: 'Hi' }], tools, tool_choice: 'required' as const }
  const alone = await at(14, { models: ask.model, key: 'k' })
  expect(await errorOf(alone.client.chat.completions.create(ask))).toMatchObject({ status: 400, param: 'tool_choice' })
  const upstreamResponse = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 5, output_tokens: 2 },
  }
  const mapping = { [ask.model]: 'claude-opus-5' }
  const other = await at(14, { models: ask.model, key: 'k', mapping }, json(upstreamResponse))
  expect((await other.client.chat.completions.create(ask)).choices[0]?.message.tool_calls).toHaveLength(1)
})

describe('an application of Microsoft Entra', () => {
  const upstreamResponse = {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  }
  const ask = { model: 'gpt-4.1', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const keyOf = (tenant: string): string => `${app.upstream.url}/${tenant}|client-1|the-client-secret`

  test('gets a token for its secret, which is sent with every call until it ends', async () => {
    const grant = json({ token_type: 'Bearer', expires_in: 3599, access_token: 'eyJ.of-contoso' })
    const { client } = await at(3, { models: 'gpt-4.1', key: keyOf('contoso') }, grant, json(upstreamResponse), json(upstreamResponse))
    const start = app.upstream.received.length
    for (let time = 0; time < 2; time += 1) expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBe('Hi')
    const [token, ...calls] = app.upstream.received.slice(start)
    expect(token?.path).toBe('/contoso/oauth2/v2.0/token')
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'the-client-secret',
      scope: 'https://cognitiveservices.azure.com/.default',
    })
    expect(calls.map(({ headers }) => [headers['authorization'], headers['api-key']])).toEqual([
      ['Bearer eyJ.of-contoso', undefined],
      ['Bearer eyJ.of-contoso', undefined],
    ])
  })

  test('whose secret is refused is reported to the administrator only, in the words of the service', async () => {
    const words = 'AADSTS7000215: Invalid client secret provided: the-client-secret.'
    const refusal = json({ error: 'invalid_client', error_description: words }, 401)
    const { client, user } = await at(3, { models: 'gpt-4.1', key: keyOf('fabrikam') }, refusal)
    const error = await errorOf(client.chat.completions.create(ask))
    expect(error?.status).toBe(502)
    expect(JSON.stringify(error?.error)).not.toContain('AADSTS')
    expect(await lastLog(user)).toMatchObject({ quota: 0 })
  })
})

/** An error of a deployment whose model reasons. */
const refusedLimit = json(
  {
    error: {
      message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ...{ type: 'invalid_request_error', param: 'max_tokens', code: 'unsupported_parameter' },
    },
  },
  400,
)
const limitsSince = (start: number) =>
  app.upstream.received.slice(start).map(({ body }) => {
    const { max_tokens = null, max_completion_tokens = null } = JSON.parse(body)
    return [max_tokens, max_completion_tokens]
  })

/** An error of a version that is older than the newer name. */
const refusedNewerLimit = json(
  {
    error: {
      message: 'Unrecognized request argument supplied: max_completion_tokens',
      ...{ type: 'invalid_request_error', param: null, code: null },
    },
  },
  400,
)

describe('a limit that a deployment refuses by its name is sent once more by the other one', () => {
  const turns = [{ role: 'user' as const, content: 'Hi' }]

  async function limitsOf(refusals: readonly Script[], path: string, body: object) {
    const channel = { models: 'our-model', key: 'k', mapping: { 'our-model': 'our-deployment' } }
    const { token, user } = await at(3, channel, ...refusals, json(chatResponse('Done.')))
    await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
    const start = app.upstream.received.length
    const request = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify({ model: 'our-model', ...body }) }
    const response = await app.request(path, request)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Done.')])
    expect(await lastLog(user)).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
    return limitsSince(start)
  }

  test('of a chat with the older one', async () => {
    expect(await limitsOf([refusedLimit], '/v1/chat/completions', { messages: turns, max_tokens: 50 })).toEqual([
      [50, null],
      [null, 50],
    ])
  })

  test.each([
    ['a chat', '/v1/chat/completions', { messages: turns, max_completion_tokens: 50 }],
    ['messages', '/v1/messages', { messages: turns, max_tokens: 50 }],
    [
      'contents',
      '/v1beta/models/our-model:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 50 } },
    ],
  ])('of %s with the newer one', async (_, path, body) => {
    expect(await limitsOf([refusedNewerLimit], path, body)).toEqual([
      [null, 50],
      [50, null],
    ])
  })

  test('of a response that becomes a chat, where the deployment has no responses', async () => {
    const absent = json({ error: { code: '404', message: 'Resource not found' } }, 404)
    const body = { input: 'Hi', max_output_tokens: 50 }
    expect((await limitsOf([absent, refusedNewerLimit], '/v1/responses', body)).slice(1)).toEqual([
      [null, 50],
      [50, null],
    ])
  })

  test.each([
    ['a chat', '/v1/chat/completions', { messages: turns, max_tokens: 50 }],
    ['messages', '/v1/messages', { messages: turns, max_tokens: 50 }],
    ['a response', '/v1/responses', { input: 'Hi', max_output_tokens: 50 }],
  ])('but not of %s to a model that has no other one', async (_, path, body) => {
    const channel = { models: 'our-model', key: 'k', mapping: { 'our-model': 'o3-mini' } }
    const absent = json({ error: { code: '404', message: 'Resource not found' } }, 404)
    const { token } = await at(3, channel, ...(path === '/v1/responses' ? [absent] : []), refusedNewerLimit)
    await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
    const start = app.upstream.received.length
    const request = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify({ model: 'our-model', ...body }) }
    expect((await app.request(path, request)).status).toBe(400)
    expect(limitsSince(start).filter((limits) => limits[1] !== null)).toEqual([[null, 50]])
    expect(app.upstream.received.length - start).toBe(path === '/v1/responses' ? 2 : 1)
  })

  test('but not where its value was refused', async () => {
    const error = { message: 'max_tokens is too large: 50.', type: 'invalid_request_error', param: 'max_tokens', code: 'invalid_value' }
    const { client } = await at(3, { models: 'gpt-4.1', key: 'k' }, json({ error }, 400))
    const start = app.upstream.received.length
    const refused = await errorOf(client.chat.completions.create({ model: 'gpt-4.1', messages: turns, max_tokens: 50 }))
    expect([refused?.status, limitsSince(start)]).toEqual([400, [[50, null]]])
  })
})

test.each([14, 3])('reasoning that another vendor signed are sent once more without their signature at type %d', async (type) => {
  const invalid = json(
    { type: 'error', error: { type: 'invalid_request_error', message: 'messages.1: Invalid `signature` in `thinking` block' } },
    400,
  )
  const upstreamResponse = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Dry.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 2 },
  }
  const { token, user } = await at(type, { models: 'claude-sonnet-5', key: 'k' }, invalid, json(upstreamResponse))
  const start = app.upstream.received.length
  const call = { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } }
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm.', signature: 'foreign' }]
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({
      model: 'claude-sonnet-5',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [call], thinking_blocks },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'dry' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
    }),
  })
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Dry.' } }] })
  const bodies = app.upstream.received.slice(start).map(({ body }) => body.includes('foreign'))
  expect(bodies).toEqual([true, false])
  expect(await lastLog(user)).toMatchObject({ prompt_tokens: 5, completion_tokens: 2 })
})

describe('a schema that a model gets in words', () => {
  const format = { type: 'json_schema' as const, json_schema: { name: 'a', schema: { type: 'object', required: ['city'] } } }
  const ask = { model: 'llama3-3-70b-128k', messages: [{ role: 'user' as const, content: 'Hi' }], response_format: format }
  const channel = { models: ask.model, key: 'ak|sk|us-east-1' }
  const converseResponse = (text: string) =>
    json({ output: { message: { content: [{ text }] } }, stopReason: 'end_turn', usage: { inputTokens: 5, outputTokens: 2 } })

  test('is what the response must fit', async () => {
    const { client } = await at(33, channel, converseResponse('```json\n{"city":"Porto"}\n```'))
    expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBe('{"city":"Porto"}')
  })

  test('makes a response that does not fit a failure of the channel, which is charged, because the vendor bills it', async () => {
    const { client, user } = await at(33, channel, converseResponse('Sunny.'))
    const error = await errorOf(client.chat.completions.create(ask))
    expect(error?.status).toBeGreaterThanOrEqual(500)
    expect(await lastLog(user)).toMatchObject({ end_reason: 'failed', prompt_tokens: 5, completion_tokens: 2 })
    expect((await lastLog(user))?.quota).toBeGreaterThan(0)
  })

  test('is checked before a stream begins', async () => {
    const { client } = await at(33, channel, converseResponse('{"city":"Porto"}'))
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true })) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('{"city":"Porto"}')
    expect(app.upstream.received.at(-1)?.path).toEndWith('/converse')
  })
})

describe('Coze', () => {
  const channel = { models: 'coze-chat', key: 'pat_key', mapping: { 'coze-chat': 'bot-7379' } }
  const ask = { model: 'coze-chat', messages: [{ role: 'user' as const, content: 'Hi' }] }

  test('calls the bot that the model is mapped to, for the client’s user if the channel names none', async () => {
    const events = [
      'event:conversation.message.delta\ndata:{"id":"1","type":"answer","content":"Hello"}\n\n',
      'event:conversation.chat.completed\ndata:{"usage":{"input_count":9,"output_count":3,"token_count":12}}\n\n',
      'event:done\ndata:"[DONE]"\n\n',
    ]
    const { client, user } = await at(
      34,
      channel,
      pieces(
        'text/event-stream',
        events.map((event) => Buffer.from(event)),
      ),
    )
    const upstreamResponse = await client.chat.completions.create({ ...ask, user: 'ann' })
    expect(upstreamResponse).toMatchObject({
      model: 'coze-chat',
      choices: [{ message: { content: 'Hello' } }],
      usage: { total_tokens: 12 },
    })
    expect(lastBody()).toMatchObject({ bot_id: '7379', user_id: 'ann', stream: true })
    expect(await lastLog(user)).toMatchObject({ prompt_tokens: 9, completion_tokens: 3, estimated: false })
  })

  test('refuses tools by their name', async () => {
    const { client } = await at(34, channel)
    const tools = [{ type: 'function' as const, function: { name: 'f' } }]
    const error = await errorOf(client.chat.completions.create({ ...ask, tools }))
    expect(error).toMatchObject({ status: 400, param: 'tools' })
  })
})

/** The credential that a channel's key is exchanged for. */
describe('a fetched credential', () => {
  /** Credentials are kept by key. */
  const channelOf = (id: string) => ({ models: 'ernie-3.5-8k', key: `${id}|the-secret` })
  const tokenOf = (value: string, seconds = 2_592_000) => json({ access_token: value, expires_in: seconds })
  const responded = json({ id: 'as-1', result: 'Hello', usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })
  const refused = json({ error_code: 110, error_msg: 'Access token invalid or no longer valid' })
  const ask = { model: 'ernie-3.5-8k', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const isToken = ({ path }: { readonly path: string }): boolean => path.startsWith('/oauth/')
  const since = (start: number) => app.upstream.received.slice(start)

  test('is fetched once, kept, and not in a log', async () => {
    const start = app.upstream.received.length
    const { client, user } = await at(15, channelOf('id-one'), tokenOf('first-token'), responded, responded)
    await client.chat.completions.create(ask)
    await client.chat.completions.create(ask)
    expect(since(start).filter(isToken)).toHaveLength(1)
    expect(since(start).filter(({ path }) => path.includes('access_token=first-token'))).toHaveLength(2)
    expect(JSON.stringify(await lastLog(user))).not.toContain('first-token')
  })

  test('that is refused as soon as it was issued is reported as the key’s fault, and not fetched in a loop', async () => {
    const start = app.upstream.received.length
    const { client } = await at(15, channelOf('id-two'), tokenOf('bad-token'), refused)
    expect(await errorOf(client.chat.completions.create(ask))).toMatchObject({ status: 502, code: 'channel_auth_failed' })
    expect(since(start).filter(isToken)).toHaveLength(1)
  })

  test('that cannot be fetched is reported without the secret', async () => {
    const words = { error: 'invalid_client', error_description: 'unknown client the-secret' }
    const { client } = await at(15, channelOf('id-three'), json(words, 401))
    const error = await errorOf(client.chat.completions.create(ask))
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(String(error)).not.toContain('the-secret')
  })
})
