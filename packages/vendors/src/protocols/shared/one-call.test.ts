import { describe, expect, test } from 'bun:test'
import { accumulate, play } from '../../../test/accumulate.ts'
import { exampleChannel, targetOf } from '../../../test/channel.ts'
import type { ChatDialect } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { converse } from '../../vendors/bedrock/chat.ts'
import { cohere } from '../../vendors/cohere/chat.ts'
import { ollama } from '../../vendors/ollama/chat.ts'
import { tencentChat } from '../../vendors/tencent/chat.ts'
import { zhipu } from '../../vendors/zhipu/vendor.ts'
import { gemini } from '../gemini/dialect.ts'
import { openai } from '../openai/dialect.ts'
import { byChat } from '../responses/by-chat.ts'

// Vendors without a switch against parallel calls: a client that wants one call at a time gets the first of a response.

const context = { id: 'chatcmpl-1', created: 1, model: 'm' }
const messages = [{ role: 'user', content: 'Hi' }]
const named = (name: string): JsonObject => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
const tools = [named('weather'), named('clock')]
const names = ['weather', 'clock']
const text = (value: JsonObject): string => JSON.stringify(value)

interface Wire {
  readonly dialect: ChatDialect
  /** Two calls, whole and as a stream. */
  readonly whole: JsonObject
  readonly stream: ReadonlyArray<string | readonly [data: string, name?: string]>
}

const parts = names.map((name) => ({ functionCall: { name, args: {} } }))
const ends = { finishReason: 'STOP' }
const wires: Readonly<Record<string, Wire>> = {
  gemini: {
    dialect: gemini,
    whole: { candidates: [{ content: { parts }, ...ends }] },
    stream: [
      ...parts.map((part) => text({ candidates: [{ content: { parts: [part] } }] })),
      text({ candidates: [{ content: { parts: [] }, ...ends }] }),
    ],
  },
  converse: {
    dialect: converse,
    whole: {
      output: { message: { role: 'assistant', content: names.map((name) => ({ toolUse: { toolUseId: name, name, input: {} } })) } },
      stopReason: 'tool_use',
    },
    stream: [
      ...names.flatMap(
        (name, contentBlockIndex): ReadonlyArray<readonly [string, string]> => [
          [text({ contentBlockIndex, start: { toolUse: { toolUseId: name, name } } }), 'contentBlockStart'],
          [text({ contentBlockIndex, delta: { toolUse: { input: '{}' } } }), 'contentBlockDelta'],
          [text({ contentBlockIndex }), 'contentBlockStop'],
        ],
      ),
      [text({ stopReason: 'tool_use' }), 'messageStop'],
      [text({ usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }), 'metadata'],
    ],
  },
  cohere: {
    dialect: cohere,
    whole: { message: { tool_calls: names.map((name) => ({ id: name, ...called(name) })) }, finish_reason: 'TOOL_CALL' },
    stream: [
      ...names.flatMap((name, index) => [
        text({ type: 'tool-call-start', index, delta: { message: { tool_calls: { id: name, ...called(name) } } } }),
        text({ type: 'tool-call-end', index }),
      ]),
      text({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } }),
    ],
  },
  ollama: {
    dialect: ollama,
    whole: { message: { tool_calls: names.map((name) => ({ function: { name, arguments: {} } })) }, done: true, done_reason: 'stop' },
    stream: [
      ...names.map((name) => text({ message: { tool_calls: [{ function: { name, arguments: {} } }] }, done: false })),
      text({ message: { content: '' }, done: true, done_reason: 'stop' }),
    ],
  },
  tencent: {
    dialect: tencentChat,
    whole: {
      Response: {
        Choices: [{ FinishReason: 'tool_calls', Message: { ToolCalls: names.map((name) => ({ Id: name, ...capital(name) })) } }],
      },
    },
    stream: [
      ...names.map((name, Index) => text({ Choices: [{ Delta: { ToolCalls: [{ Id: name, Index, ...capital(name) }] } }] })),
      text({ Choices: [{ FinishReason: 'tool_calls', Delta: {} }] }),
    ],
  },
}

function called(name: string): JsonObject {
  return { type: 'function', function: { name, arguments: '{}' } }
}

function capital(name: string): JsonObject {
  return { Type: 'function', Function: { Name: name, Arguments: '{}' } }
}

/** The names that a client reads of a whole response. */
const namesOf = (response: unknown): readonly string[] =>
  [...JSON.stringify(response).matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name)

describe.each(Object.entries(wires))('%s', (_, { dialect, whole, stream }) => {
  test('asks for one call where the client wants one', () => {
    const ask = (more: JsonObject) => dialect.request({ messages, ...more }, targetOf({ model: 'm' })).oneCall
    expect(ask({ tools, parallel_tool_calls: false })).toBe(true)
    expect(ask({ functions: [{ name: 'clock' }] })).toBe(true)
    expect([ask({ tools }), ask({ tools, parallel_tool_calls: true })]).toEqual([undefined, undefined])
  })

  test('gives all calls unless one is wanted, and then the first', () => {
    expect(namesOf(dialect.response(whole, context))).toEqual(names)
    expect(namesOf(dialect.response(whole, { ...context, oneCall: true }))).toEqual(['weather'])
  })

  test('does so in a stream', () => {
    expect(namesOf(accumulate(play(dialect.stream(context), stream).chunks))).toEqual(names)
    const { chunks, complete } = play(dialect.stream({ ...context, oneCall: true }), stream)
    expect(namesOf(accumulate(chunks))).toEqual(['weather'])
    expect(accumulate(chunks)).toMatchObject({ reasons: ['tool_calls'] })
    expect(complete).toBe(true)
    expect(JSON.stringify(chunks)).not.toContain('"delta":{},"logprobs":null,"finish_reason":null')
  })

  test('does so in a response', () => {
    const read = byChat(dialect).response(whole, { ...context, oneCall: true })
    expect(JSON.stringify(read)).toContain('"name":"weather"')
    expect(JSON.stringify(read)).not.toContain('"name":"clock"')
  })
})

test('a stream with functions in the old form has the first call whole', () => {
  const { dialect, stream } = wires['ollama'] ?? { dialect: ollama, stream: [] }
  const { chunks } = play(dialect.stream({ ...context, oneCall: true, callsFunctions: true }), stream)
  expect(accumulate(chunks)).toMatchObject({
    message: { function_call: { name: 'weather', arguments: '{}' } },
    reasons: ['function_call'],
  })
})

describe('a vendor in OpenAI’s form without the switch', () => {
  const calls = names.map((name, index) => ({ index, id: name, ...called(name) }))

  test('is not sent it, and the response has the first call', () => {
    const { vendor: used, facts } = exampleChannel(zhipu)
    const chat = { model: 'glm-5', messages, tools, parallel_tool_calls: false }
    const { body, oneCall } = buildRequest(used, chat, { kind: 'chat', model: 'glm-5', stream: false, channel: facts })
    expect([body['parallel_tool_calls'], oneCall]).toEqual([undefined, true])
    const whole = { choices: [{ index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' }] }
    expect(namesOf(openai.passthrough.repairResponse?.(whole, { ...context, oneCall: true }))).toEqual(['weather'])
    expect(namesOf(openai.response(whole, context))).toEqual(names)
  })

  test('also in a stream, where its calls may begin at any index', () => {
    const events = calls.map((call) =>
      text({ choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ ...call, index: call.index + 1 }] } }] }),
    )
    const end = text({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })
    expect(namesOf(accumulate(play(openai.stream(context), [...events, end]).chunks))).toEqual(names)
    const { chunks } = play(openai.stream({ ...context, oneCall: true }), [...events, end])
    expect(namesOf(accumulate(chunks))).toEqual(['weather'])
  })
})
