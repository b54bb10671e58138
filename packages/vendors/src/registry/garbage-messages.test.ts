import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { targetOf } from '../../test/channel.ts'
import { chatDialects } from '../../test/chat-dialects.ts'
import { anyJson } from '../../test/chats.ts'
import { countsOf, freeze } from '../../test/files.ts'
import { isObject } from '../core/is-object.ts'
import type { JsonObject } from '../core/json.ts'
import { MessageReader } from '../protocols/anthropic/message-reader.ts'
import { anthropicMessages } from '../protocols/anthropic/native.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { messageSearchIn, nativeOnlyIn } from '../protocols/messages/native-only.ts'

const block = fc.record(
  {
    type: fc.constantFrom(
      'text',
      'image',
      'document',
      'tool_use',
      'tool_result',
      'thinking',
      'redacted_thinking',
      'search_result',
      '__proto__',
    ),
    text: anyJson(),
    source: anyJson(),
    content: anyJson(),
    citations: anyJson(),
    signature: anyJson(),
    thinking: anyJson(),
    input: anyJson(),
    id: anyJson(),
    name: anyJson(),
  },
  { requiredKeys: ['type'] },
)
const body = fc.record(
  {
    messages: fc.oneof(
      anyJson(),
      fc.array(fc.record({ role: anyJson(), content: fc.oneof(anyJson(), fc.array(block, { maxLength: 3 })) }), { maxLength: 3 }),
    ),
    system: anyJson(),
    tools: fc.oneof(anyJson(), fc.array(fc.record({ type: anyJson(), name: anyJson(), input_schema: anyJson() }), { maxLength: 2 })),
    tool_choice: anyJson(),
    thinking: anyJson(),
    output_config: anyJson(),
    metadata: anyJson(),
    max_tokens: anyJson(),
    stop_sequences: anyJson(),
  },
  { requiredKeys: [] },
)

test('A request of any form is translated by every dialect without throwing, and is not changed', () => {
  const dialects = [anthropicMessages, ...Object.values(chatDialects).map(messagesByChat)]
  fc.assert(
    fc.property(body, fc.boolean(), (value, stream) => {
      // Holds: what the arbitraries make is JSON.
      const input = freeze(value as JsonObject)
      expect(() => [nativeOnlyIn(input), messageSearchIn(input)]).not.toThrow()
      for (const dialect of dialects) {
        const { body: upstreamBody } = dialect.request(input, { ...targetOf({ model: 'm', stream }), kind: 'messages' })
        expect(isObject(upstreamBody)).toBe(true)
        const failure = {
          kind: 'bad_request',
          message: 'Invalid `signature` in `thinking` block',
          type: null,
          param: null,
          code: null,
        } as const
        expect(() => dialect.retryWithout?.(input, failure, 'm')).not.toThrow()
      }
    }),
    { numRuns: 200 },
  )
})

test('Events of any form are read without throwing, and counts are whole numbers', () => {
  const types = [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'error',
    'ping',
  ]
  const event = fc.oneof(
    fc.string(),
    fc
      .record({ type: fc.constantFrom(...types), message: anyJson(), delta: anyJson(), usage: anyJson(), content_block: anyJson() })
      .map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), (events) => {
      const reader = new MessageReader()
      for (const data of events) {
        const { usage, text } = reader.event(data)
        expect(typeof text).toBe('string')
        for (const tokens of countsOf(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
      }
      for (const tokens of countsOf(reader.end().usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
    }),
    { numRuns: 500 },
  )
})
