import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'
import { awsEvent } from './event-stream-frames.ts'
import { clients, type ResponsesOf, requestResponse, summaryOf, twoTools } from './response-scene.ts'
import type { ResponseSummary } from './response-summary.ts'
import { pieces } from './vendor-double.ts'

// Calls that vendors send in other orders and forms than they document, and ends that are none: what every client gets, and is charged.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const claude = { type: 14, model: 'claude-sonnet-4-5' }
const cohere = { type: 35, model: 'command-a-03-2025' }
const gemini = { type: 24, model: 'gemini-2.5-flash', key: 'AIzaSyExample' }
const ollama = { type: 30, model: 'qwen3:latest' }
const nova = { type: 33, model: 'amazon-nova-pro', key: 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1' }

const name = 'read_note'
const one = { id: 'call_1', name, input: { a: 'one' } }
const two = { id: 'call_2', name: 'write_note', input: { a: 'two' } }
const empty = { ...one, input: {} }

const started = {
  type: 'message_start',
  message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 20, output_tokens: 1 } },
}
const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const use = (index: number, call: object, input: object = {}) => block(index, { type: 'tool_use', ...call, input })
const grown = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const part = (index: number, partial_json: string) => grown(index, { type: 'input_json_delta', partial_json })
const stopped = (index: number) => ({ type: 'content_block_stop', index })
const finished = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 10 } }, { type: 'message_stop' }]
const ofClaude = (...data: readonly object[]): Script => events([started, ...data, ...finished])
const [first, second] = [JSON.stringify(one.input), JSON.stringify(two.input)]

const called = (type: string, index: number, tool_calls: object = {}) => ({
  type: `tool-call-${type}`,
  index,
  delta: { message: { tool_calls } },
})
const begun = (index: number, { id, name: function_ }: typeof one, text = '') =>
  called('start', index, { id, type: 'function', function: { name: function_, arguments: text } })
const piece = (index: number, text: string) => called('delta', index, { function: { arguments: text } })
const ended = {
  type: 'message-end',
  delta: { finish_reason: 'TOOL_CALL', usage: { billed_units: { input_tokens: 20, output_tokens: 10 } } },
}
const ofCohere = (...data: readonly object[]): Script =>
  events([{ type: 'message-start', delta: { message: { role: 'assistant' } } }, ...data, ended])

const odd: ReadonlyArray<readonly [string, ResponsesOf, Script, ResponseSummary['calls']]> = [
  ['input at the start and in pieces, of Claude', claude, ofClaude(use(0, one, one.input), part(0, first), stopped(0)), [one]],
  ['input at the start alone, of Claude', claude, ofClaude(use(0, one, one.input), stopped(0)), [one]],
  ['no ends of blocks, of Claude', claude, ofClaude(use(0, one), part(0, first), use(1, two, two.input)), [one, two]],
  ['arguments at the start and in pieces, of Cohere', cohere, ofCohere(begun(0, one, first), piece(0, first), called('end', 0)), [one]],
]
const interleaved: typeof odd = [
  ['with no end of a block, of Claude', claude, ofClaude(use(0, one), use(1, two), part(1, second), stopped(1)), [empty, two]],
  ['with arguments at the start alone, of Cohere', cohere, ofCohere(begun(0, one, first), begun(1, two), piece(1, second)), [one, two]],
  ['with no end of a call, of Cohere', cohere, ofCohere(begun(0, one), begun(1, two), piece(1, second), called('end', 1)), [empty, two]],
  ['of Claude', claude, ofClaude(use(0, one), use(1, two), part(0, first), part(1, second), stopped(0), stopped(1)), [one, two]],
  [
    ...(['of Cohere', cohere] as const),
    ofCohere(begun(0, one), begun(1, two), piece(0, first), piece(1, second), called('end', 0), called('end', 1)),
    [one, two],
  ],
]
/** A client of messages gets the events of Claude as they come. */
const isPassed = (client: ClientStream, at: ResponsesOf): boolean => client === messages && at === claude
const translated = (rows: typeof odd, isStream: readonly boolean[]) =>
  clients.flatMap((client) =>
    rows.flatMap(([how, at, script, calls]) =>
      isPassed(client, at) ? [] : isStream.map((streams) => [client.name, how, streams, client, at, script, calls] as const),
    ),
  )

describe('each call has its arguments', () => {
  test.each(translated(odd, [true]))('for %s with %s, as a stream: %p', async (...row) => {
    const [, , isStream, client, at, script, calls] = row
    expect((await summaryOf(app, { client, at, script, isStream })).calls).toEqual([...calls])
  })

  test.each(translated(interleaved, [true]).filter(([, , , client]) => client !== generated))(
    'for %s in a stream of calls that grow together %s',
    async (...row) => {
      const [, , isStream, client, at, script, calls] = row
      expect((await summaryOf(app, { client, at, script, isStream })).calls).toEqual([...calls])
    },
  )
})

describe('several calls with one id', () => {
  const geminiOf = (...calls: readonly (typeof one)[]) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: calls.map(({ id, name: function_, input }) => ({ functionCall: { id, name: function_, args: input } })),
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
  })
  const ollamaOf = (...calls: readonly (typeof one)[]) => ({
    ...{ model: 'qwen3:latest', done: true, done_reason: 'stop', prompt_eval_count: 20, eval_count: 10 },
    message: {
      role: 'assistant',
      content: '',
      tool_calls: calls.map(({ id, name: function_, input }) => ({ id, function: { name: function_, arguments: input } })),
    },
  })
  const sames: ReadonlyArray<readonly [string, readonly (typeof one)[], readonly (typeof one)[]]> = [
    ['of two functions', [one, { ...two, id: one.id }], [one, { ...two, id: one.id }]],
    [
      'that is the name',
      ['one', 'two'].map((a) => ({ id: name, name, input: { a } })),
      ['one', 'two'].map((a) => ({ id: name, name, input: { a } })),
    ],
    ['that are equal', [one, one], [one]],
  ]

  describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
    test.each(sames)('%s: each that differs is there', async (_how, parts, expected) => {
      for (const isStream of [true, false]) {
        if (client !== generated) {
          const script = isStream ? events([geminiOf(...parts)]) : json(geminiOf(...parts))
          expect((await summaryOf(app, { client, at: gemini, script, isStream })).calls).toEqual([...expected])
        }
        const lines: Script = [
          { do: 'head', status: 200, headers: { 'content-type': 'application/x-ndjson' } },
          { do: 'send', bytes: `${JSON.stringify(ollamaOf(...parts))}\n` },
        ]
        const script = isStream ? lines : json(ollamaOf(...parts))
        expect((await summaryOf(app, { client, at: ollama, script, isStream })).calls).toEqual([...expected])
      }
    })

    test('a call of Ollama in a response that is cut at its limit is reported as cut', async () => {
      const { end } = await summaryOf(app, {
        client,
        at: ollama,
        script: json({ ...ollamaOf(one), done_reason: 'length' }),
        isStream: false,
      })
      expect(String(end)).toMatch(/length|max_tokens|incomplete|MAX_TOKENS/)
    })
  })
})

describe('a response that a tool carries', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const format = { type: 'json_schema', name: 'note', schema }
  const formats = new Map<ClientStream, object>([
    [chats, { response_format: { type: 'json_schema', json_schema: { name: 'note', schema } } }],
    [responses, { text: { format } }],
    [generated, { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }],
  ])
  const old = { type: 14, model: 'claude-3-7-sonnet-20250219' }
  const carried = { id: 'toolu_1', name: 'json' }
  const leadIn = 'Here it is:'
  const intro = [block(0, { type: 'text', text: '' }), grown(0, { type: 'text_delta', text: leadIn }), stopped(0)]
  const messageOf = (...content: readonly object[]): Script =>
    json({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: 'tool_use',
      usage: { input_tokens: 20, output_tokens: 10 },
    })
  const converseOf = (content: readonly object[], stopReason = 'tool_use'): Script =>
    json({ output: { message: { role: 'assistant', content } }, stopReason, usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } })
  const frames = (stopReason: string, ...data: readonly (readonly [string, object])[]): Script =>
    pieces('application/vnd.amazon.eventstream', [
      ...[['messageStart', { role: 'assistant' }] as const, ...data, ['messageStop', { stopReason }] as const].map(([event, payload]) =>
        awsEvent(event, payload),
      ),
      awsEvent('metadata', { usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 } }),
    ])
  const toolUse = { toolUseId: 'tooluse_1', name: 'json' }
  const novaIntro = ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: leadIn } }] as const
  const ways: ReadonlyArray<readonly [string, ResponsesOf, boolean, Script]> = [
    ['Claude, streamed', old, true, ofClaude(...intro, use(1, carried), part(1, first), stopped(1))],
    ['Claude, whole', old, false, messageOf({ type: 'text', text: leadIn }, { type: 'tool_use', ...carried, input: one.input })],
    [
      ...(['Nova, streamed', nova, true] as const),
      frames('tool_use', ...[novaIntro, ['contentBlockStart', { contentBlockIndex: 1, start: { toolUse } }] as const], [
        'contentBlockDelta',
        { contentBlockIndex: 1, delta: { toolUse: { input: first } } },
      ]),
    ],
    ['Nova, whole', nova, false, converseOf([{ text: leadIn }, { toolUse: { ...toolUse, input: one.input } }])],
  ]
  const texts: ReadonlyArray<readonly [string, ResponsesOf, boolean, Script]> = [
    ['Claude, streamed', old, true, ofClaude(...intro)],
    ['Claude, whole', old, false, messageOf({ type: 'text', text: leadIn })],
    ['Nova, streamed', nova, true, frames('end_turn', novaIntro)],
    ['Nova, whole', nova, false, converseOf([{ text: leadIn }], 'end_turn')],
  ]

  describe.each([...formats].map(([client, more]) => [client.name, client, more] as const))('%s', (_name, client, more) => {
    test.each(ways)('has no text beside it: %s', async (_how, at, isStream, script) => {
      const { text, calls, end } = await summaryOf(app, { client, at, script, isStream, more })
      expect([JSON.parse(text), calls, String(end)]).toEqual([one.input, [], expect.stringMatching(/stop|completed|STOP/)])
    })

    test.each(texts)('is the text where the model does not call it: %s', async (_how, at, isStream, script) => {
      expect((await summaryOf(app, { client, at, script, isStream, more })).text).toBe(leadIn)
    })

    test.each([true, false])('leaves the tools of the client to be called, as a stream: %p', async (isStream) => {
      const script = isStream
        ? ofClaude(...intro, use(1, one), part(1, first), stopped(1))
        : messageOf({ type: 'text', text: leadIn }, { type: 'tool_use', ...one })
      const request = { client, at: old, script, isStream, more: { ...twoTools.get(client), ...more } }
      expect(await summaryOf(app, request)).toMatchObject({ text: leadIn, calls: [one] })
      const upstreamBody = JSON.parse(app.upstream.received.at(-1)?.body ?? '')
      expect(upstreamBody.tool_choice).toEqual({ type: 'any', disable_parallel_tool_use: true })
      expect(upstreamBody.tools.map((tool: { readonly name: string }) => tool.name)).toEqual(['read_note', 'write_note', 'json'])
    })
  })

  test.each([
    ['none', { type: 'tool', name: 'json', disable_parallel_tool_use: true }, 3],
    ['required', { type: 'any' }, 2],
    [{ type: 'function', function: { name } }, { type: 'tool', name }, 2],
  ])('beside a choice of tools of %p', async (tool_choice, expected, count) => {
    const more = { ...twoTools.get(chats), ...formats.get(chats), tool_choice }
    await summaryOf(app, { client: chats, at: old, script: messageOf({ type: 'tool_use', ...one }), isStream: false, more })
    const upstreamBody = JSON.parse(app.upstream.received.at(-1)?.body ?? '')
    expect([upstreamBody.tool_choice, upstreamBody.tools.length]).toEqual([expected, count])
  })
})

describe.each(['malformed_tool_use', 'malformed_model_output'])('a response of Bedrock that ends by %s', (stopReason) => {
  const usage = { inputTokens: 1_000, outputTokens: 200, totalTokens: 1_200 }
  const whole = (content: readonly object[]): Script => json({ output: { message: { role: 'assistant', content } }, stopReason, usage })
  const stream = (content: readonly object[]): Script =>
    pieces('application/vnd.amazon.eventstream', [
      ...content.map((delta) => awsEvent('contentBlockDelta', { contentBlockIndex: 0, delta })),
      awsEvent('messageStop', { stopReason }),
      awsEvent('metadata', { usage }),
    ])

  describe.each(clients.map((client) => [client.name, client] as const))('for %s', (_name, client) => {
    test.each([
      ['nothing', []],
      ['a text', [{ text: 'Let me look.' }]],
    ])('after %s is an error, and is charged', async (_what, content) => {
      const result = await requestResponse(app, { client, at: nova, script: whole(content), isStream: false })
      expect(result.status).toBe(502)
      expect(result.quota).toBeGreaterThanOrEqual(Math.floor(1_000 * 0.4 + 200 * 1.6))
      const streamed = await requestResponse(app, { client, at: nova, script: stream(content), isStream: true })
      if (content.length === 0) expect(streamed.status).toBe(502)
      else {
        const { isEnded, errors } = client.read(streamed.text)
        expect({ isEnded, errors: errors.length }).toEqual({ isEnded: false, errors: 1 })
        expect(streamed.text).toContain('Let me look.')
      }
      expect(streamed.quota).toBe(result.quota)
    })
  })
})
