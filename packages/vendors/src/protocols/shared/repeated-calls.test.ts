import { describe, expect, test } from 'bun:test'
import { accumulate, play } from '../../../test/accumulate.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ChatStream } from '../../core/stream.ts'
import { baiduChat } from '../../vendors/baidu/chat.ts'
import { iflytekChat } from '../../vendors/iflytek/chat.ts'
import { ollama } from '../../vendors/ollama/chat.ts'
import { tencentChat } from '../../vendors/tencent/chat.ts'
import { gemini } from '../gemini/dialect.ts'
import { passthrough } from '../openai/passthrough.ts'
import { createChatRepair } from '../openai/repair.ts'

const context = { id: 'chatcmpl-1', created: 1, model: 'm' }
const name = 'look_up'
const input = '{"place":"Bern"}'

/** What clients join from the chunks: the calls, each as its name and arguments. */
function callsIn(chunks: readonly JsonObject[]): readonly Json[] {
  const { message } = accumulate(chunks)
  const calls = isObject(message) && Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : []
  return calls.map(({ id, function: called }) => [id ?? null, called ?? null])
}

interface Wire {
  readonly stream: ChatStream
  /** A whole call with an id, where the vendor has ids, in the form of its responses. */
  readonly whole: (id: string) => JsonObject
  readonly end: JsonObject
}

const wires: ReadonlyArray<readonly [vendor: string, wire: () => Wire]> = [
  [
    'Gemini',
    () => ({
      stream: gemini.stream(context),
      whole: (id) => ({ candidates: [{ content: { parts: [{ functionCall: { id, name, args: JSON.parse(input) } }] } }] }),
      end: { candidates: [{ finishReason: 'STOP' }] },
    }),
  ],
  [
    'Ollama',
    () => ({
      stream: ollama.stream(context),
      whole: (id) => ({ message: { tool_calls: [{ id, function: { name, arguments: JSON.parse(input) } }] }, done: false }),
      end: { message: {}, done: true, done_reason: 'stop' },
    }),
  ],
  [
    'the older interface of Baidu',
    () => ({
      stream: baiduChat.stream(context),
      whole: () => ({ result: '', function_call: { name, arguments: input } }),
      end: { result: '', is_end: true },
    }),
  ],
  [
    'the older interface of Tencent',
    () => ({
      stream: tencentChat.stream(context),
      whole: (Id) => ({
        Choices: [{ FinishReason: '', Delta: { ToolCalls: [{ Id, Index: 0, Function: { Name: name, Arguments: input } }] } }],
      }),
      end: { Choices: [{ FinishReason: 'tool_calls', Delta: {} }] },
    }),
  ],
  [
    'iFlytek over a WebSocket',
    () => ({
      stream: iflytekChat.stream(context),
      whole: () => ({ header: { code: 0, status: 1 }, payload: { choices: { text: [{ function_call: { name, arguments: input } }] } } }),
      end: { header: { code: 0, status: 2 }, payload: { choices: { text: [{ content: '' }] } } },
    }),
  ],
]

describe.each(wires)('of %s', (_vendor, wire) => {
  test('a whole call that comes again is one call, and is counted once', () => {
    const { stream, whole, end } = wire()
    const { chunks, text, complete } = play(
      stream,
      [whole('call_a'), whole('call_a'), end].map((event) => JSON.stringify(event)),
    )
    expect(callsIn(chunks)).toEqual([[expect.any(String), { name, arguments: input }]])
    expect([text, complete]).toEqual([input, true])
  })
})

test.each(wires.slice(0, 2))('of %s, two calls that are alike are two', (_vendor, wire) => {
  for (const [one, other] of [
    ['call_a', 'call_b'],
    ['', ''],
  ] as const) {
    const { stream, whole } = wire()
    expect(
      callsIn(
        play(
          stream,
          [whole(one), whole(other)].map((event) => JSON.stringify(event)),
        ).chunks,
      ),
    ).toHaveLength(2)
  }
})

/** What a client gets of a stream in OpenAI's form with these deltas of calls. */
function relayed(pieces: readonly JsonObject[]): readonly JsonObject[] {
  const repair = createChatRepair(context, false)
  return pieces.map((piece) => {
    const chunk = {
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
      choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [piece] }, finish_reason: null }],
    }
    const data = JSON.stringify(chunk)
    return repair.event({ data }, passthrough.event(data)) ?? chunk
  })
}

describe('in a stream in OpenAI’s form', () => {
  const piece = (index: number, called: JsonObject, more: JsonObject = {}): JsonObject => ({ index, function: called, ...more })
  const first = piece(0, { name, arguments: input }, { id: 'call_a', type: 'function' })

  test.each([
    ['with its index', first],
    ['with another index', { ...first, index: 1 }],
    ['without an index', { id: 'call_a', type: 'function', function: { name, arguments: input } }],
  ])('a whole call that comes again %s is one call', (_how, again) => {
    expect(callsIn(relayed([first, again]))).toEqual([['call_a', { name, arguments: input }]])
  })

  test('a call that came in deltas and comes again whole is one call', () => {
    const pieces = [
      piece(0, { name, arguments: '' }, { id: 'call_a', type: 'function' }),
      piece(0, { arguments: '{"place":' }),
      piece(0, { arguments: '"Bern"}' }),
      first,
    ]
    expect(callsIn(relayed(pieces))).toEqual([['call_a', { name, arguments: input }]])
  })

  test('an id and a name that come with each delta are sent once', () => {
    const head = { id: 'call_a' }
    const pieces = [
      piece(0, { name, arguments: '{"place":' }, { ...head, type: 'function' }),
      piece(0, { name, arguments: '"Bern"}' }, head),
    ]
    expect(callsIn(relayed(pieces))).toEqual([['call_a', { name, arguments: input }]])
  })

  test('two calls that are alike are two, and equal deltas of one are joined', () => {
    const other = { ...first, id: 'call_b', index: 1 }
    expect(callsIn(relayed([first, other]))).toEqual(['call_a', 'call_b'].map((id) => [id, { name, arguments: input }]))
    const pieces = [
      piece(0, { name, arguments: '{"n":' }, { id: 'call_a', type: 'function' }),
      ...['1', '1', '}'].map((text) => piece(0, { arguments: text })),
    ]
    expect(callsIn(relayed(pieces))).toEqual([['call_a', { name, arguments: '{"n":11}' }]])
  })
})
