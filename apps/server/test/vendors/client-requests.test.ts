import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { zstdCompressSync } from 'node:zlib'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { json, type Script } from '../fake-upstream.ts'
import { type ClientRequest, clientRequests, toolOutput, userText } from './client-requests.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockClaudeDouble, bedrockDouble } from './doubles/bedrock.ts'
import { geminiDouble } from './doubles/gemini.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// What well-known clients send gets a response from vendors of every protocol, with all that the client said.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const deepseekDouble: VendorDouble = { ...openaiDouble, name: 'DeepSeek', type: 36, model: 'deepseek-v4-flash' }
const doubles = [openaiDouble, geminiDouble, deepseekDouble, bedrockDouble, bedrockClaudeDouble, anthropicDouble]
const scripted = { text: 'README.md, and “src”.', usage: { prompt: 70_000, completion: 20 } }

/** OpenAI serves its Responses API in that format. */
const ownResponse: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
  ...[
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', delta: scripted.text },
    {
      type: 'response.completed',
      response: {
        ...{ id: 'resp_1', object: 'response', status: 'completed', store: false },
        output: [{ type: 'message', content: [{ type: 'output_text', text: scripted.text }] }],
        usage: { input_tokens: 70_000, output_tokens: 20, total_tokens: 70_020 },
      },
    },
  ].map((event) => ({ do: 'send' as const, bytes: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
]

/** Whether OpenAI's Responses API is called. */
const isForResponse = ({ reads, body }: ClientRequest): boolean => reads.name === 'OpenAI, responses' || 'input' in body('any')

function streamOf(double: VendorDouble, request: ClientRequest): Script {
  if (isForResponse(request) && double.type === openaiDouble.type) return ownResponse
  const { contentType, frames } = double.stream(scripted)
  return pieces(contentType, frames)
}

async function scene(double: VendorDouble) {
  const { type, key, model: models, config, other } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups, quota: 100_000_000 })
  await app.make.channel({
    groups,
    type,
    key,
    models,
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  return { user, token: (await app.make.token(user)).key }
}

const lastRequest = () => app.upstream.received.at(-1)

describe.each(clientRequests.map((request) => [request.client, request] as const))('the request of %s', (_, request) => {
  test.each(doubles.map((double) => [double.name, double] as const))('gets a response from %s', async (_name, double) => {
    const { user, token } = await scene(double)
    app.upstream.script(streamOf(double, request))
    const isCodex = request.client === 'Codex CLI'
    const body = JSON.stringify(request.body(double.model))
    const response = await app.request(request.path(double.model), {
      method: 'POST',
      headers: {
        ...request.headers,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(isCodex ? { 'content-encoding': 'zstd' } : {}),
      },
      // Codex packs long requests.
      body: isCodex ? zstdCompressSync(body) : body,
    })
    const text = await response.text()
    expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
    expect(request.reads.read(text)).toEqual({ text: scripted.text, errors: [], isEnded: true })
    const isPassed = isForResponse(request) && double.type === openaiDouble.type
    if (!isPassed) {
      const read = double.read(lastRequest() ?? { ...emptyRequest })
      // Something of the system may come after it.
      expect(read.text).toContain(userText)
      expect(read.system.length).toBeGreaterThan(200_000)
      expect(read.tools).toEqual(request.tools)
      if (request.tools.length > 0) expect(read.results.join()).toContain(toolOutput)
      // Servers refuse both.
      expect(lastRequest()?.body).not.toMatch(/"content":\[\]|"strict":null/)
    }
    expect(lastRequest()?.body).toContain(userText)
    expect(lastRequest()?.body).toContain('ls \\')
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { username: user.username })
    expect(row).toMatchObject({ end_reason: 'complete', prompt_tokens: 70_000, completion_tokens: 20, estimated: false })
  })
})

const emptyRequest = { method: '', path: '', headers: {}, body: '{}', bytes: new Uint8Array(), aborted: Promise.resolve() }

test('Claude Code’s model alias is mapped by the channel, and it counts tokens before each turn', async () => {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key } = await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))
  const model = 'claude-sonnet-4-5'
  await app.make.channel({ groups, type: 14, models: model, mapping: { [model]: 'claude-sonnet-5-5' } })
  app.upstream.script(json({ input_tokens: 61_234 }))
  const [claudeCode] = clientRequests
  const {
    stream: _stream,
    max_tokens: _limit,
    metadata: _metadata,
    ...counted
  } = { stream: 0, max_tokens: 0, metadata: 0, ...claudeCode?.body(model) }
  const response = await app.request('/v1/messages/count_tokens?beta=true', {
    method: 'POST',
    headers: { ...claudeCode?.headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(counted),
  })
  expect([response.headers.get('x-token-count'), await response.json()]).toEqual(['vendor', { input_tokens: 61_234 }])
  expect(lastRequest()?.body).toContain('"model":"claude-sonnet-5-5"')
})

test('a search of the live web beside functions is refused by its parameter where the vendor cannot have both', async () => {
  const { token } = await scene(geminiDouble)
  const tools = [
    { type: 'function', name: 'f', parameters: { type: 'object' } },
    { type: 'web_search', external_web_access: true },
  ]
  const response = await app.request('/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: geminiDouble.model, input: 'Hi', tools }),
  })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'tools[].type' } }])
})

test('Codex searches for tools itself, and calls one that it found', async () => {
  const { token } = await scene(deepseekDouble)
  const orderTool = {
    type: 'function',
    name: 'list_orders',
    description: 'Lists orders',
    defer_loading: true,
    parameters: { type: 'object' },
  }
  const search = { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: { type: 'object' } }
  const calls = [
    { name: 'tool_search', input: { query: 'customers' } },
    { name: 'crm__list_orders', input: { of: 7 } },
  ]
  const ask = async (body: object) => {
    const { contentType, frames } = deepseekDouble.stream({ tools: calls, finish: 'tool_calls', usage: scripted.usage })
    app.upstream.script(pieces(contentType, frames))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const all = { model: deepseekDouble.model, tools: [search], stream: true, ...body }
    const text = await (await app.request('/v1/responses', { method: 'POST', headers, body: JSON.stringify(all) })).text()
    const last = text.trimEnd().split('\n').at(-1) ?? ''
    return [text, JSON.parse(last.slice('data: '.length)).response] as const
  }
  const input = [
    { role: 'user', content: 'Which orders are there?' },
    { type: 'tool_search_call', execution: 'client', call_id: 'call_1', status: 'completed', arguments: { query: 'orders' } },
    {
      ...{ type: 'tool_search_output', execution: 'client', call_id: 'call_1', status: 'completed' },
      tools: [{ type: 'namespace', name: 'crm', description: 'Customers', tools: [orderTool] }],
    },
  ]
  const [stream, { id, output, tools }] = await ask({ input })
  const { messages, tools: upstreamTools } = JSON.parse(lastRequest()?.body ?? '{}')
  expect(upstreamTools).toEqual([
    { type: 'function', function: { name: 'tool_search', description: 'Finds tools', parameters: { type: 'object' } } },
    { type: 'function', function: { name: 'crm__list_orders', description: 'Lists orders', parameters: { type: 'object' } } },
  ])
  const call = { id: 'call_1', type: 'function', function: { name: 'tool_search', arguments: '{"query":"orders"}' } }
  expect(messages.slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"tools":["crm__list_orders"]}' },
  ])
  const searched = { type: 'tool_search_call', status: 'completed', execution: 'client', arguments: { query: 'customers' } }
  expect(output).toMatchObject([searched, { type: 'function_call', namespace: 'crm', name: 'list_orders', arguments: '{"of":7}' }])
  expect(stream).toContain('"item":{"id":"tsc_')
  // What the response repeats is the request's own.
  expect(tools).toEqual([search])
  const results = output.map(({ type, call_id }: { type: string; call_id: string }) =>
    type === 'tool_search_call'
      ? { type: 'tool_search_output', execution: 'client', call_id, status: 'completed', tools: [] }
      : { type: 'function_call_output', call_id, output: 'none' },
  )
  const [, followed] = await ask({ previous_response_id: id, input: results })
  expect(followed.output).toMatchObject([{ type: 'tool_search_call' }, { namespace: 'crm', name: 'list_orders' }])
  const responded = await app.request('/v1/responses', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: deepseekDouble.model, input: 'Hi', tools: [{ type: 'tool_search' }] }),
  })
  expect([responded.status, await responded.json()]).toMatchObject([400, { error: { param: 'tools[0].type' } }])
})
