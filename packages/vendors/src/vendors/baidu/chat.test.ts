import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { targetOf } from '../../../test/channel.ts'
import { chats, nonsense } from '../../../test/chats.ts'
import { freeze } from '../../../test/files.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { baiduChat } from './chat.ts'

const target = targetOf({ model: 'ERNIE-4.0-8K' })
const bodyOf = (chat: JsonObject): JsonObject => baiduChat.request(chat, target).body

const user = (content: string): JsonObject => ({ role: 'user', content })

describe('a chat for the interface of 2023', () => {
  test('has its system messages apart, and a schema as words in them', () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }
    const messages = [{ role: 'system', content: 'Be brief.' }, user('Hi'), { role: 'developer', content: 'Be kind.' }]
    expect(bodyOf({ messages, response_format: format })).toEqual({
      messages: [user('Hi')],
      stream: false,
      system: 'Be brief.\nBe kind.\nAnswer with one JSON object, and nothing else, that fits this JSON schema: {"type":"object"}',
    })
  })

  test('puts every result after its call, because the vendor knows no parallel calls', () => {
    const call = (id: string, name: string): JsonObject => ({ id, type: 'function', function: { name, arguments: '{}' } })
    const messages = [
      user('Hi'),
      { role: 'assistant', content: null, tool_calls: [call('a', 'one'), call('b', 'two')] },
      { role: 'tool', tool_call_id: 'b', content: 'second' },
      { role: 'tool', tool_call_id: 'a', content: 'first' },
    ]
    expect(bodyOf({ messages })['messages']).toEqual([
      user('Hi'),
      { role: 'assistant', content: '', function_call: { name: 'one', arguments: '{}' } },
      { role: 'function', name: 'one', content: 'first' },
      { role: 'assistant', content: '', function_call: { name: 'two', arguments: '{}' } },
      { role: 'function', name: 'two', content: 'second' },
    ])
  })

  test('has the vendor’s names and ranges', () => {
    const settings = { temperature: 0, top_p: 0.5, frequency_penalty: 1, max_completion_tokens: 1, stop: 'END', user: 'u', seed: 1 }
    expect(bodyOf({ messages: [user('Hi')], ...settings })).toEqual({
      messages: [user('Hi')],
      stream: false,
      temperature: 0.01,
      top_p: 0.5,
      penalty_score: 1.5,
      max_output_tokens: 2,
      stop: ['END'],
      user_id: 'u',
    })
  })

  test('is refused by the name of what it cannot hold', () => {
    const image = [{ type: 'image_url', image_url: { url: 'https://a.example/a.png' } }]
    const refusedOf = (chat: JsonObject): string | undefined => baiduChat.request(chat, target).refused
    expect(refusedOf({ messages: [{ role: 'user', content: image }] })).toBe('image_url')
    expect(
      [{ n: 2 }, { logprobs: true }, { tool_choice: 'required' }].map((more) => refusedOf({ messages: [user('Hi')], ...more })),
    ).toEqual(['n', 'logprobs', 'tool_choice'])
    expect(refusedOf({ messages: [user('Hi')], n: 1, logprobs: false, tool_choice: 'auto' })).toBeUndefined()
  })

  test('has turns that alternate and end with the user’s or a result, whatever the client sends', () => {
    fc.assert(
      fc.property(fc.oneof(chats, nonsense), (chat) => {
        const turns = objectsIn(bodyOf(freeze(chat))['messages'])
        for (const [index, turn] of turns.entries()) expect(turn['role'] === 'assistant').toBe(index % 2 === 1)
        if (turns.length > 0) expect(turns.at(-1)?.['role']).not.toBe('assistant')
        expect(turns.filter(({ role, content }) => role !== 'assistant' && content === '')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
