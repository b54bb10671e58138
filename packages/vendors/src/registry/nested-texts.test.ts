import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../test/channel.ts'
import type { ChatDialect } from '../core/dialect.ts'
import type { JsonObject } from '../core/json.ts'
import { anthropic } from '../protocols/anthropic/dialect.ts'
import { gemini } from '../protocols/gemini/dialect.ts'
import { generateByChat } from '../protocols/generate/by-chat.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { byChat } from '../protocols/responses/by-chat.ts'
import { bedrockClaude, converse } from '../vendors/bedrock/chat.ts'
import { ollama } from '../vendors/ollama/chat.ts'

const nested = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
const deep = nested(60_000)
const noJson = `{"a":${'['.repeat(120_000)}`

const dialects: ReadonlyArray<readonly [string, ChatDialect]> = [
  ['Gemini', gemini],
  ['Anthropic', anthropic],
  ['Bedrock', converse],
  ['Claude at Bedrock', bedrockClaude],
  ['Ollama', ollama],
]

const chatWith = (text: string): JsonObject => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: text } }] },
    { role: 'tool', tool_call_id: 'c1', content: text },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: {} } } } }],
})

const responseWith = (text: string): JsonObject => ({
  input: [
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: text },
    { type: 'function_call_output', call_id: 'c1', output: text },
  ],
})

const messageWith = (text: string): JsonObject => ({
  messages: [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: text }] },
  ],
})

const contentsWith = (text: string): JsonObject => ({
  contents: [
    { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { result: text } } }] },
  ],
})

/** The request as it is sent, with the text at the places where it stands as a text. */
function written(request: ChatDialect['request'], body: JsonObject, text: string): string {
  const { body: upstreamBody } = request({ model: 'm', ...body }, targetOf({ model: 'gemini-2.5-flash' }))
  return JSON.stringify(upstreamBody).replaceAll(JSON.stringify(text).slice(1, -1), 'text')
}

describe.each(dialects)('JSON within the texts of a request to %s', (_name, dialect) => {
  const requests: ReadonlyArray<readonly [string, ChatDialect['request'], (text: string) => JsonObject]> = [
    ['a chat', dialect.request, chatWith],
    ['a response', byChat(dialect).request, responseWith],
    ['a message', messagesByChat(dialect).request, messageWith],
    ['generateContent', generateByChat(dialect).request, contentsWith],
  ]

  test.each(requests)('is a text like any other in %s, if it is nested too deeply', (_kind, request, bodyWith) => {
    const before = process.cpuUsage()
    const bodyText = written(request, bodyWith(deep), deep)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200)
    expect(bodyText).toBe(written(request, bodyWith(noJson), noJson))
  })

  test('is sent as it was if it is nested as usual', () => {
    expect(written(dialect.request, chatWith(nested(50)), noJson)).toContain('['.repeat(50))
  })
})
