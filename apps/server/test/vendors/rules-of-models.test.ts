import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { chatResponse, chatStream, json, type Received, type Script } from '../fake-upstream.ts'

// What a model or its server does not take is changed before it is sent, where a table knows it, or after the vendor's error: for every client.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

/** What each client says in its own form. */
interface ClientOptions {
  readonly limit?: number
  readonly temperature?: number
  readonly stops?: readonly string[]
  readonly instructions?: string
  readonly wantsJson?: boolean
  readonly isStream?: boolean
}

interface Client {
  readonly path: (isStream: boolean) => string
  readonly body: (options: ClientOptions) => object
}

const model = 'our-model'
const defined = (members: object): object => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const clients: Readonly<Record<'chat' | 'responses' | 'messages' | 'generateContent', Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: ({ limit, temperature, stops, instructions, wantsJson, isStream }) =>
      defined({
        ...{ model, max_tokens: limit, temperature, stop: stops, stream: isStream },
        response_format: wantsJson === true ? { type: 'json_object' } : undefined,
        messages: [...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]), { role: 'user', content: 'Hi' }],
      }),
  },
  responses: {
    path: () => '/v1/responses',
    body: ({ limit, temperature, instructions, wantsJson, isStream }) =>
      defined({
        ...{ model, max_output_tokens: limit, temperature, instructions, store: false, stream: isStream, input: 'Hi' },
        text: wantsJson === true ? { format: { type: 'json_object' } } : undefined,
      }),
  },
  messages: {
    path: () => '/v1/messages',
    body: ({ limit = 100, temperature, stops, instructions, isStream }) =>
      defined({
        ...{ model, max_tokens: limit, temperature, stop_sequences: stops, system: instructions, stream: isStream },
        messages: [{ role: 'user', content: 'Hi' }],
      }),
  },
  generateContent: {
    path: (isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ limit, temperature, stops, instructions, wantsJson }) =>
      defined({
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        systemInstruction: instructions === undefined ? undefined : { parts: [{ text: instructions }] },
        generationConfig: defined({
          ...{ maxOutputTokens: limit, temperature, stopSequences: stops },
          responseMimeType: wantsJson === true ? 'application/json' : undefined,
        }),
      }),
  },
}

type ClientName = keyof typeof clients
// Holds: the names of the table above.
const names = Object.keys(clients) as readonly ClientName[]

const keys: Readonly<Record<number, string>> = {
  33: 'AKIDEXAMPLE|wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY|us-east-1',
  42: 'us-central1|proj-1|AIzaSyA1234567890abcdefghijklmnopqrstu',
}

const claudeResponse = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'Done.' }],
  usage: { input_tokens: 10, output_tokens: 5 },
}
const geminiResponse = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Done.' }] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
}
const converseResponse = {
  output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } },
  ...{ stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } },
}

/** The response of a vendor in the form of the path. */
function responseTo({ path, body }: Received): Script {
  if (path.includes('/responses')) return json({ error: { message: 'no such path' } }, 404)
  if (path.includes('/converse')) return json(converseResponse)
  if (path.includes(':generateContent')) return json(geminiResponse)
  if (/messages|rawPredict|\/invoke/i.test(path)) return json(claudeResponse)
  return JSON.parse(body).stream === true ? chatStream(['Do', 'ne.']) : json(chatResponse('Done.'))
}

/** A vendor that refuses as this says; `null` = it responds. */
type Refuses = (body: Readonly<Record<string, unknown>>) => string | null

interface Place {
  readonly type: number
  readonly upstream: string
  readonly refuses?: Refuses
  readonly quota?: number
  readonly status?: number
}

async function tokenAt({ type, upstream, refuses, quota = 1_000_000_000, status = 400 }: Place): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models: model, mapping: { [model]: upstream }, key: keys[type] ?? 'sk-of-the-channel' })
  app.upstream.always((request) => {
    if (request.path.includes('/responses')) return responseTo(request)
    const message = refuses?.(JSON.parse(request.body)) ?? null
    return message === null
      ? responseTo(request)
      : json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, status)
  })
  return (await app.make.token(await app.make.user({ groups, quota }), { isUnlimited: true })).key
}

interface Exchange {
  readonly status: number
  readonly text: string
  /** The requests that the vendor got. */
  readonly upstreamBodies: readonly string[]
}

async function send(key: string, path: string, body: object): Promise<Exchange> {
  const start = app.upstream.received.length
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  const upstreamRequests = app.upstream.received.slice(start).filter(({ path: at }) => !at.includes('/responses'))
  return { status: response.status, text, upstreamBodies: upstreamRequests.map((request) => request.body) }
}

const ask = (key: string, name: ClientName, options: ClientOptions): Promise<Exchange> =>
  send(key, clients[name].path(options.isStream === true), clients[name].body(options))

const line = 'x-anthropic-billing-header: cc_version=2.1.207.1ab; cc_entrypoint=cli; cch=1f2e3;'
const places: ReadonlyArray<readonly [type: number, upstream: string]> = [
  ...([
    [1, 'gpt-4o-mini'],
    [8, 'qwen3.6-27b'],
    [24, 'gemini-3.8-flash'],
    [25, 'kimi-k2.6'],
    [33, 'amazon-nova-pro'],
  ] as const),
  ...([
    [33, 'claude-sonnet-4-5-20250929'],
    [36, 'deepseek-v4-flash'],
    [42, 'claude-sonnet-4-6'],
    [42, 'gemini-3.8-flash'],
  ] as const),
]

describe.each(names)('%s', (name) => {
  test.each(places)('without the line that the client changes, at %p: %s', async (type, upstream) => {
    const key = await tokenAt({ type, upstream })
    const { status, text, upstreamBodies } = await ask(key, name, { instructions: `${line}\n Be careful. ` })
    expect([status, status === 200 ? '' : text]).toEqual([200, ''])
    expect(upstreamBodies.at(-1)).toContain('" Be careful. "')
    expect(upstreamBodies.at(-1)).not.toContain('cch=')
  })

  test('with that line at Anthropic itself', async () => {
    const { upstreamBodies } = await ask(await tokenAt({ type: 14, upstream: 'claude-sonnet-4-5' }), name, {
      instructions: `${line}\n Be careful. `,
    })
    expect(upstreamBodies.at(-1)).toContain(`${line}\\n Be careful. `)
  })

  test.each([
    [1, 'gpt-4o-mini', 16_384],
    [24, 'gemini-3.8-flash', 65_536],
    [33, 'amazon-nova-pro', 10_000],
    [14, 'claude-opus-4-1', 32_000],
  ] as const)('with no higher limit than the table has, at %p: %s', async (type, upstream, most) => {
    const key = await tokenAt({ type, upstream })
    const { status, upstreamBodies } = await ask(key, name, { limit: 128_000 })
    expect(status).toBe(200)
    expect(upstreamBodies.at(-1)).toContain(`${most}`)
    expect(upstreamBodies.at(-1)).not.toContain('128000')
  })

  test.each([
    ['a limit', { limit: 32_000 }, limited],
    ['a temperature', { limit: 100, temperature: 0.2 }, untempered],
    ['the older name of a limit', { limit: 100 }, withoutOlder],
    ['the newer name of a limit', { limit: 100 }, withoutNewer],
    ['a place of instructions', { limit: 100, instructions: 'Be careful.' }, unsystematic],
    ['JSON without its word', { limit: 100, wantsJson: true }, wordless],
  ] as const)('sent once more after an error about %s, and right the next time', async (_what, options, refuses) => {
    const key = await tokenAt({ type: 8, upstream: 'team-chat', refuses })
    for (const isStream of [false, true]) {
      const { status, text, upstreamBodies } = await ask(key, name, { ...options, isStream })
      expect([status, text.includes('Do')]).toEqual([200, true])
      // Anthropic's messages cannot ask for JSON without a schema.
      const isAsked = refuses(JSON.parse(clientsFirst(name, options))) !== null
      expect(upstreamBodies).toHaveLength(isStream || !isAsked ? 1 : 2)
    }
  })

  test('whose prompt and limit exceed the context gets what is left', async () => {
    const key = await tokenAt({ type: 8, upstream: 'team-chat', refuses: crowded })
    for (const limit of [32_000, 31_000]) {
      const { status, upstreamBodies } = await ask(key, name, { limit })
      expect([status, upstreamBodies.length]).toEqual([200, 2])
      expect(upstreamBodies.at(-1)).toContain('24645')
    }
  })

  test('reserves no more than the limit that is sent', async () => {
    // 16,384 tokens at the price of a dollar for 500,000, four times for output.
    const key = await tokenAt({ type: 1, upstream: 'gpt-4o-mini', quota: 100_000 })
    expect((await ask(key, name, { limit: 10_000_000 })).status).toBe(200)
  })
})

/** What a server in OpenAI's form gets first: translated requests name their limit by both names. */
const clientsFirst = (name: ClientName, { limit, temperature, instructions, wantsJson }: ClientOptions): string =>
  JSON.stringify({
    ...(name === 'chat' ? {} : { max_completion_tokens: limit }),
    ...{ max_tokens: limit, ...(temperature === undefined ? {} : { temperature }) },
    messages: instructions === undefined ? [] : [{ role: 'system' }],
    ...(wantsJson === true && name !== 'messages' ? { response_format: { type: 'json_object' } } : {}),
  })

const limitOf = (body: Readonly<Record<string, unknown>>): number => Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? 0)

function limited(body: Readonly<Record<string, unknown>>): string | null {
  return limitOf(body) > 4_096 ? `max_tokens is too large: ${limitOf(body)}. This model supports at most 4096 completion tokens.` : null
}

function untempered(body: Readonly<Record<string, unknown>>): string | null {
  return 'temperature' in body
    ? "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported."
    : null
}

function withoutOlder(body: Readonly<Record<string, unknown>>): string | null {
  return 'max_tokens' in body
    ? "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    : null
}

function withoutNewer(body: Readonly<Record<string, unknown>>): string | null {
  return 'max_completion_tokens' in body ? 'Unrecognized request argument supplied: max_completion_tokens' : null
}

function unsystematic({ messages }: Readonly<Record<string, unknown>>): string | null {
  return JSON.stringify(messages).includes('"role":"system"') ? 'System role not supported' : null
}

function wordless({ response_format: format, messages }: Readonly<Record<string, unknown>>): string | null {
  return format !== undefined && !/json/i.test(JSON.stringify(messages))
    ? "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    : null
}

function crowded(body: Readonly<Record<string, unknown>>): string | null {
  const limit = limitOf(body)
  return limit + 8_123 > 32_768
    ? `This model's maximum context length is 32768 tokens. However, you requested ${8_123 + limit} tokens (8123 in the messages, ${limit} in the completion).`
    : null
}

describe('a stop sequence of a model that has none', () => {
  const withStop = names.filter((name) => name !== 'responses')

  test.each(withStop.flatMap((name) => [1, 3].flatMap((type) => [false, true].map((isStream) => [name, type, isStream] as const))))(
    'of %s at type %p ends the output here, in a stream: %p',
    async (name, type, isStream) => {
      const key = await tokenAt({ type, upstream: 'gpt-5-mini' })
      app.upstream.always(() => (isStream ? chatStream(['One', ' E', 'ND', ' two']) : json(chatResponse('One END two'))))
      const { status, text, upstreamBodies } = await ask(key, name, { stops: ['END', 'OVER'], isStream })
      expect(status).toBe(200)
      expect(upstreamBodies.map((body) => 'stop' in JSON.parse(body))).toEqual([false])
      expect(text).toContain('One')
      expect(text).not.toMatch(/END two|two/)
      if (name === 'messages') expect(text).toContain('"stop_sequence":"END"')
    },
  )

  test('is refused by name where there are several responses', async () => {
    const key = await tokenAt({ type: 1, upstream: 'o3' })
    const body = { ...clients.chat.body({ stops: ['END'] }), n: 2 }
    const { status, text, upstreamBodies } = await send(key, '/v1/chat/completions', body)
    expect([status, upstreamBodies]).toEqual([400, []])
    expect(text).toContain('"param":"stop"')
  })
})

describe('instructions in the middle', () => {
  const turns = [
    { role: 'user', content: 'Where is the note?' },
    { role: 'system', content: 'REMINDER-ONE' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_01A', name: 'read_note', input: { a: '1' } }] },
    { role: 'system', content: 'REMINDER-TWO' },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01A', content: 'THE-RESULT' }] },
    { role: 'system', content: [{ type: 'text', text: 'REMINDER-THREE' }] },
  ]
  const body = {
    model,
    max_tokens: 600,
    system: 'TOP-RULES',
    messages: turns,
    tools: [{ name: 'read_note', input_schema: { type: 'object' } }],
  }
  const all = ['TOP-RULES', 'REMINDER-ONE', 'REMINDER-TWO', 'THE-RESULT', 'REMINDER-THREE']

  test.each([
    [14, 'claude-sonnet-4-5'],
    [14, 'claude-opus-4-7'],
    [33, 'claude-haiku-4-5-20251001'],
    [42, 'claude-sonnet-4-6'],
  ] as const)('are turns of the user for an older Claude, at %p: %s', async (type, upstream) => {
    const { status, upstreamBodies } = await send(await tokenAt({ type, upstream }), '/v1/messages', body)
    expect(status).toBe(200)
    const { messages } = JSON.parse(upstreamBodies[0] ?? '')
    expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'user', 'assistant', 'user', 'user', 'user'])
    // Results stand right behind their calls.
    expect(messages[3].content[0].type).toBe('tool_result')
    for (const text of all) expect(upstreamBodies[0]).toContain(text)
  })

  test.each([
    [14, 'claude-opus-4-8'],
    [33, 'claude-opus-5'],
    [42, 'claude-sonnet-5'],
  ] as const)('keep their place for a newer one, at %p: %s', async (type, upstream) => {
    const { upstreamBodies } = await send(await tokenAt({ type, upstream }), '/v1/messages', body)
    expect(JSON.parse(upstreamBodies[0] ?? '').messages).toEqual(turns)
  })

  test.each([
    ['messages', '/v1/messages', body],
    [
      'chat',
      '/v1/chat/completions',
      {
        model,
        messages: [
          ...[
            { role: 'system', content: 'TOP-RULES' },
            { role: 'developer', content: 'REMINDER-ONE' },
            { role: 'user', content: 'x' },
          ],
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_note', arguments: '{}' } }],
          },
          ...[
            { role: 'system', content: 'REMINDER-TWO' },
            { role: 'tool', tool_call_id: 'c1', content: 'THE-RESULT' },
          ],
          { role: 'developer', content: 'REMINDER-THREE' },
        ],
      },
    ],
    [
      'responses',
      '/v1/responses',
      {
        ...{ model, store: false, instructions: 'TOP-RULES' },
        input: [
          ...[
            { role: 'developer', content: 'REMINDER-ONE' },
            { role: 'user', content: 'x' },
          ],
          { type: 'function_call', call_id: 'c1', name: 'read_note', arguments: '{}' },
          ...[
            { role: 'developer', content: 'REMINDER-TWO' },
            { type: 'function_call_output', call_id: 'c1', output: 'THE-RESULT' },
          ],
          { role: 'developer', content: 'REMINDER-THREE' },
        ],
      },
    ],
  ] as const)('of %s reach a template that wants them first, also one that responds with 500', async (_name, path, body) => {
    const refuses: Refuses = ({ messages }) => {
      // Holds: the gateway sends messages.
      const roles = (messages as ReadonlyArray<{ role: string }>).map(({ role }) => role)
      return roles.slice(1).includes('system') || roles.includes('developer')
        ? 'Jinja Exception: System message must be at the beginning.'
        : null
    }
    for (const status of [400, 500]) {
      const { status: responded, upstreamBodies } = await send(
        await tokenAt({ type: 8, upstream: 'qwen3.6-27b', refuses, status }),
        path,
        body,
      )
      expect([responded, upstreamBodies.length]).toEqual([200, 2])
      for (const text of all) expect(upstreamBodies[1]).toContain(text)
      const { messages } = JSON.parse(upstreamBodies[1] ?? '')
      const call = messages.findIndex((message: object) => 'tool_calls' in message)
      expect(messages[call + 1].role).toBe('tool')
    }
  })

  test('of a server that takes them are not moved', async () => {
    const { upstreamBodies } = await send(await tokenAt({ type: 8, upstream: 'llama' }), '/v1/chat/completions', {
      model,
      messages: [
        { role: 'system', content: 'A' },
        { role: 'user', content: 'x' },
        { role: 'system', content: 'B' },
      ],
    })
    expect(upstreamBodies).toHaveLength(1)
    expect(JSON.parse(upstreamBodies[0] ?? '').messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'system'])
  })
})

describe('a conversation that ends with the model', () => {
  const ending: Readonly<Record<'chat' | 'responses' | 'messages' | 'generateContent', readonly [path: string, body: object]>> = {
    chat: [
      '/v1/chat/completions',
      {
        model,
        messages: [
          { role: 'user', content: 'JSON' },
          { role: 'assistant', content: '{' },
        ],
      },
    ],
    responses: [
      '/v1/responses',
      {
        model,
        store: false,
        input: [
          { role: 'user', content: 'JSON' },
          { role: 'assistant', content: '{' },
        ],
      },
    ],
    messages: [
      '/v1/messages',
      {
        model,
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'JSON' },
          { role: 'assistant', content: '{' },
        ],
      },
    ],
    generateContent: [
      `/v1beta/models/${model}:generateContent`,
      {
        contents: [
          { role: 'user', parts: [{ text: 'JSON' }] },
          { role: 'model', parts: [{ text: '{' }] },
        ],
      },
    ],
  }

  test.each(names.flatMap((name) => [24, 42].map((type) => [name, type] as const)))(
    'of %s gets a turn of the user at %p',
    async (name, type) => {
      const [path, body] = ending[name]
      const roles = async (upstream: string) =>
        JSON.parse((await send(await tokenAt({ type, upstream }), path, body)).upstreamBodies[0] ?? '').contents.map(
          ({ role }: { role: string }) => role,
        )
      expect(await roles('gemini-3.6-flash')).toEqual(['user', 'model', 'user'])
      expect(await roles('gemini-3.5-flash')).toEqual(['user', 'model'])
    },
  )
})

describe('a Claude under another name', () => {
  test.each([
    [
      'claude-opus-5',
      { thinking: { type: 'enabled', budget_tokens: 4_000 } },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    [
      'claude-sonnet-4-5',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      { thinking: { type: 'enabled', budget_tokens: 7_744 } },
    ],
    ['claude-opus-5', { temperature: 0.3, top_p: 0.9, top_k: 3 }, {}],
    ['claude-haiku-4-5', { temperature: 0.3, top_p: 0.9 }, { temperature: 0.3 }],
    ['claude-haiku-4-5', { output_config: { effort: 'low' } }, {}],
  ] as const)('gets reasoning and sampling as %s takes them', async (upstream, options, expected) => {
    const body = { model, max_tokens: 8_000, messages: [{ role: 'user', content: 'x' }], ...options }
    for (const type of [14, 33, 42]) {
      const { status, upstreamBodies } = await send(await tokenAt({ type, upstream }), '/v1/messages', body)
      const { thinking, output_config, temperature, top_p, top_k } = JSON.parse(upstreamBodies[0] ?? '')
      expect([status, JSON.parse(JSON.stringify({ thinking, output_config, temperature, top_p, top_k }))]).toEqual([200, expected])
    }
  })

  test('and one by its own name gets what the client said, and once more what an error teaches', async () => {
    const groups = `g${crypto.randomUUID().slice(0, 8)}`
    await app.make.channel({ groups, type: 14, models: 'claude-opus-5' })
    const refusal = {
      type: 'error',
      error: { type: 'invalid_request_error', message: '"thinking.type.enabled" is not supported for this model.' },
    }
    app.upstream.always(({ body }) => (JSON.parse(body).thinking.type === 'enabled' ? json(refusal, 400) : json(claudeResponse)))
    const { key } = await app.make.token(await app.make.user({ groups, quota: 1_000_000_000 }), { isUnlimited: true })
    const body = {
      model: 'claude-opus-5',
      max_tokens: 8_000,
      messages: [{ role: 'user', content: 'x' }],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    }
    const first = await send(key, '/v1/messages', body)
    expect(first.upstreamBodies.map((body) => JSON.parse(body).thinking.type)).toEqual(['enabled', 'adaptive'])
    expect((await send(key, '/v1/messages', body)).upstreamBodies.map((body) => JSON.parse(body).thinking.type)).toEqual(['adaptive'])
  })
})

test('a prompt that leaves too little of the context is refused in the words that Claude Code reads', async () => {
  const refuses: Refuses = (body) =>
    `This model's maximum context length is 32768 tokens. However, you requested ${32_500 + limitOf(body)} tokens (32500 in the messages, ${limitOf(body)} in the completion).`
  const key = await tokenAt({ type: 8, upstream: 'team-chat', refuses })
  const { status, text, upstreamBodies } = await ask(key, 'messages', { limit: 32_000 })
  expect([status, upstreamBodies.length]).toEqual([400, 1])
  expect(text).toContain('input length and `max_tokens` exceed context limit: 32500 + 32000 > 32768')
  expect(JSON.parse((await ask(key, 'chat', { limit: 32_000 })).text).error.code).toBe('context_length_exceeded')
})

test('max_tokens of a response is its limit', async () => {
  const at = async (type: number, upstream: string) => {
    const key = await tokenAt({ type, upstream })
    return (await send(key, '/v1/responses', { model, store: false, input: 'Hi', max_tokens: 77 })).upstreamBodies.at(-1)
  }
  expect(JSON.parse((await at(14, 'claude-sonnet-4-5')) ?? '')).toMatchObject({ max_tokens: 77 })
  expect(JSON.parse((await at(36, 'deepseek-v4-flash')) ?? '')).toMatchObject({ max_tokens: 77 })
})
