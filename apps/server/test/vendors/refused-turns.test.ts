import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { chatReply, chatStream, json, type Received, type Script } from '../fake-upstream.ts'

// What other vendors and OpenAI's own tools left in earlier turns, choices of tools that are not there, and schemas without a type: no vendor gets what it
// would refuse.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.unsound()).toEqual([]))

const model = 'our-model'
const keys: Readonly<Record<number, string>> = {
  33: 'AKIDEXAMPLE|wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY|us-east-1',
  42: 'us-central1|proj-1|AIzaSyA1234567890abcdefghijklmnopqrstu',
}

const replies = {
  claude: {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Done.' }],
    usage: { input_tokens: 10, output_tokens: 5 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  },
  converse: {
    output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
    ...{ stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } },
  },
  cohere: {
    ...{ id: '1', finish_reason: 'COMPLETE', message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } },
    usage: { billed_units: { input_tokens: 10, output_tokens: 5 } },
  },
  ollama: { model: 'm', done: true, message: { role: 'assistant', content: 'Done.' }, prompt_eval_count: 10, eval_count: 5 },
} as const

function answerTo({ path, body }: Received): Script {
  if (path.includes('/converse')) return json(replies.converse)
  if (path.includes(':generateContent')) return json(replies.gemini)
  if (path.includes('/v2/chat')) return json(replies.cohere)
  if (path.includes('/api/chat')) return json(replies.ollama)
  if (/messages|rawPredict|\/invoke/i.test(path)) return json(replies.claude)
  return JSON.parse(body).stream === true ? chatStream(['Do', 'ne.']) : json(chatReply('Done.'))
}

type Body = Readonly<Record<string, unknown>>
type Refuses = (body: Body) => string | null

interface Place {
  readonly type: number
  readonly upstream: string
  readonly refuses?: Refuses
}

async function tokenAt({ type, upstream, refuses }: Place): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models: model, mapping: { [model]: upstream }, key: keys[type] ?? 'sk-of-the-channel' })
  app.upstream.always((request) => {
    // Servers of one's own, and those behind an interface of OpenAI, may have chats only.
    if (request.path.includes('/responses')) return json({ error: { message: 'no such path' } }, 404)
    const message = refuses?.(JSON.parse(request.body)) ?? null
    return message === null ? answerTo(request) : json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, 400)
  })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}

/** @returns the bodies that the vendor got */
async function sentFor(key: string, path: string, body: object): Promise<readonly string[]> {
  const start = app.upstream.received.length
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  expect(text).toContain('ne.')
  const received = app.upstream.received.slice(start).filter((request) => !request.path.includes('/responses'))
  return received.map((request) => request.body)
}

const parameters = { type: null, properties: { day: { type: 'string' }, place: { type: null } } }

/** A request of each client, with tools or without. */
const clients: Readonly<Record<string, { readonly path: string; readonly idle: object; readonly untyped: object }>> = {
  chat: {
    path: '/v1/chat/completions',
    idle: { model, messages: [{ role: 'user', content: 'Hi' }], tools: [], tool_choice: 'auto', parallel_tool_calls: false },
    untyped: { model, messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function', function: { name: 'f', parameters } }] },
  },
  responses: {
    path: '/v1/responses',
    idle: { model, input: 'Hi', store: false, tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    untyped: { model, input: 'Hi', store: false, tools: [{ type: 'function', name: 'f', parameters }] },
  },
  messages: {
    path: '/v1/messages',
    idle: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], tools: [], tool_choice: { type: 'auto' } },
    untyped: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], tools: [{ name: 'f', input_schema: parameters }] },
  },
  generateContent: {
    path: `/v1beta/models/${model}:generateContent`,
    idle: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
    untyped: {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: parameters }] }],
    },
  },
}

const places: ReadonlyArray<readonly [type: number, upstream: string]> = [
  ...([
    [1, 'gpt-4o-mini'],
    [8, 'qwen3.6-27b'],
    [14, 'claude-sonnet-4-5'],
    [16, 'glm-5'],
    [17, 'qwen3-max'],
    [20, 'openai/gpt-4o-mini'],
  ] as const),
  ...([
    [23, 'hunyuan-2'],
    [24, 'gemini-3.8-flash'],
    [25, 'kimi-k2.6'],
    [27, 'MiniMax-M3'],
    [28, 'mistral-medium-latest'],
    [29, 'openai/gpt-oss-20b'],
  ] as const),
  ...([
    [30, 'qwen3'],
    [32, 'step-3'],
    [33, 'amazon-nova-pro'],
    [33, 'claude-sonnet-4-5-20250929'],
    [35, 'command-a-03-2025'],
    [36, 'deepseek-v4-flash'],
  ] as const),
  ...([
    [39, 'Qwen/Qwen3-235B'],
    [40, 'doubao-seed-2'],
    [41, 'deepseek/deepseek-v4'],
    [42, 'claude-sonnet-4-6'],
    [42, 'gemini-3.8-flash'],
  ] as const),
]

describe.each(Object.entries(clients))('%s', (_name, { path, idle, untyped }) => {
  test.each(places)('without a choice of tools where there are none, at %p: %s', async (type, upstream) => {
    const [sent = ''] = await sentFor(await tokenAt({ type, upstream }), path, idle)
    expect(sent).not.toMatch(/tool_choice|toolChoice|parallel_tool_calls|functionCallingConfig|"tools":\[\]/)
  })

  // What a client of Google's writes for Google is its own.
  const translated = places.filter(([, upstream]) => path.startsWith('/v1/') || !upstream.startsWith('gemini'))
  test.each(translated)('with a schema that has no type as an object, at %p: %s', async (type, upstream) => {
    const [sent = ''] = await sentFor(await tokenAt({ type, upstream }), path, untyped)
    expect(sent).not.toContain('"type":null')
    expect(sent).toContain('"day":')
  })
})

describe('what answers of other vendors have beside their text', () => {
  const turn = { role: 'assistant', content: 'y', reasoning_content: 'because', tool_calls: [] }
  const blocks = [{ type: 'thinking', thinking: 'because', signature: 'c2ln' }]
  const chatWith = (turns: object, isStream = false): object => ({
    ...{ model, stream: isStream },
    messages: [
      { role: 'user', content: 'x' },
      { ...turn, ...turns },
      { role: 'user', content: 'z' },
    ],
  })

  test.each(places)('is no empty list of calls, and no signed thoughts where they are not known, at %p: %s', async (type, upstream) => {
    const [sent = ''] = await sentFor(
      await tokenAt({ type, upstream }),
      '/v1/chat/completions',
      chatWith({ thinking_blocks: blocks, extra_content: { google: { thought_signature: 'c2ln' } } }),
    )
    expect(sent).not.toContain('"tool_calls"')
    const isGateway = [8, 20].includes(type)
    expect(sent.includes('thinking_blocks')).toBe(isGateway)
    expect(sent.includes('extra_content')).toBe(isGateway)
    if ([1, 28, 29].includes(type)) expect(sent).not.toContain('reasoning_content')
    if ([8, 25, 36].includes(type)) expect(sent).toContain('"reasoning_content":"because"')
  })

  test.each(['reasoning_content', 'thinking_blocks', 'annotations', 'provider_specific_fields'])(
    'is left out after an error that names it, and not sent again: %s',
    async (member) => {
      const refuses: Refuses = ({ messages }) =>
        JSON.stringify(messages).includes(`"${member}"`)
          ? `messages.1.assistant.${member}: property 'messages.1.assistant.${member}' is unsupported`
          : null
      const key = await tokenAt({ type: 8, upstream: 'llama-4-scout', refuses })
      const turns = { thinking_blocks: blocks, annotations: [], provider_specific_fields: {} }
      expect(await sentFor(key, '/v1/chat/completions', chatWith(turns))).toHaveLength(2)
      const [sent = '', ...others] = await sentFor(key, '/v1/chat/completions', chatWith(turns, true))
      expect([others, sent.includes(`"${member}"`), sent.includes('"content":"y"')]).toEqual([[], false, true])
    },
  )
})

describe('what OpenAI’s own tools did', () => {
  const input = [
    { role: 'user', content: 'When is high tide?' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'tides' } },
    { type: 'local_shell_call', id: 'ls_1', call_id: 'call_sh', status: 'completed', action: { type: 'exec', command: ['date'], env: {} } },
    { type: 'local_shell_call_output', id: 'ls_1', output: 'SATURDAY' },
    { type: 'code_interpreter_call', id: 'ci_1', code: '1+1', container_id: 'cntr_1', outputs: [{ type: 'logs', logs: 'TWO' }] },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=', revised_prompt: 'A SHIP' },
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['tide'], results: [{ filename: 'a.txt', text: 'AT-DAWN' }] },
    { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'tides', arguments: '{}', output: 'AT-NIGHT' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'AT-NOON' }] },
    { role: 'user', content: 'And tomorrow?' },
  ]

  test.each(places)('is told at %p: %s', async (type, upstream) => {
    const [sent = ''] = await sentFor(await tokenAt({ type, upstream }), '/v1/responses', { model, store: false, input })
    for (const word of ['SATURDAY', 'TWO', 'A SHIP', 'AT-DAWN', 'AT-NIGHT', 'AT-NOON', 'And tomorrow?']) expect(sent).toContain(word)
  })
})
