import { expect, test } from 'bun:test'
import { play } from '../../test/accumulate.ts'
import { chatDialects } from '../../test/chat-dialects.ts'
import type { JsonObject } from '../core/json.ts'

const context = { id: 'chatcmpl-1', created: 1, model: 'm' }

/** The events of a short response, and which of them says that it is over. */
const responses: ReadonlyArray<
  readonly [name: keyof typeof chatDialects, events: ReadonlyArray<readonly [JsonObject, string?]>, end: number]
> = [
  [
    'converse',
    [
      [{ contentBlockIndex: 0, delta: { text: 'Hi' } }, 'contentBlockDelta'],
      [{ stopReason: 'end_turn' }, 'messageStop'],
      [{ usage: { inputTokens: 3, outputTokens: 1 } }, 'metadata'],
    ],
    1,
  ],
  [
    'coze',
    [
      [{ role: 'assistant', type: 'answer', content: 'Hi', content_type: 'text' }, 'conversation.message.delta'],
      [{ status: 'completed', usage: { token_count: 4, input_count: 3, output_count: 1 } }, 'conversation.chat.completed'],
    ],
    1,
  ],
  [
    'tencent',
    [
      [{ Choices: [{ FinishReason: '', Delta: { Role: 'assistant', Content: 'Hi' } }] }],
      [{ Choices: [{ FinishReason: 'stop', Delta: { Content: '' } }], Usage: { PromptTokens: 3, CompletionTokens: 1, TotalTokens: 4 } }],
    ],
    1,
  ],
]

test.each(responses)('an end that comes twice ends a response of %s once, and is counted once', (name, events, end) => {
  const again = [...events.slice(0, end + 1), ...events.slice(end)]
  const { chunks, usage } = play(
    chatDialects[name].stream(context),
    again.map(([data, event]) => (event === undefined ? JSON.stringify(data) : ([JSON.stringify(data), event] as const))),
  )
  const choices = chunks.flatMap(({ choices: list }) => (Array.isArray(list) ? list : []))
  expect(choices.filter((choice) => JSON.stringify(choice).includes('"finish_reason":"stop"'))).toHaveLength(1)
  expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 1 })
})
