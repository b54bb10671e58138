import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { withoutEmptyCalls, withoutIdleChoice } from './tool-members.ts'

const tools = [{ type: 'function', function: { name: 'f' } }]

describe('a choice of tools', () => {
  test.each<readonly [chat: JsonObject, expected: JsonObject]>([
    [{ tools: [], tool_choice: 'auto', parallel_tool_calls: false }, {}],
    [{ tool_choice: 'none' }, {}],
    [{ tool_choice: { type: 'auto' } }, {}],
    [{ tools: [] }, {}],
  ])('without tools is left out: %j', (chat, expected) => {
    expect(withoutIdleChoice({ ...chat, n: 1 }, new Rewrites())).toEqual({ ...expected, n: 1 })
  })

  test.each<readonly [JsonObject]>([
    [{ tools, tool_choice: 'auto', parallel_tool_calls: false }],
    [{ functions: [{ name: 'f' }], parallel_tool_calls: false }],
    [{ tools: [], tool_choice: 'required' }],
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }],
    [{ messages: [] }],
  ])('that says something is kept: %j', (chat) => {
    expect(withoutIdleChoice(chat, new Rewrites())).toBe(chat)
  })

  test('stays where the channel wants it unchanged', () => {
    const chat = { tools: [], tool_choice: 'auto' }
    expect(withoutIdleChoice(chat, new Rewrites(new Set(['tools'])))).toBe(chat)
  })
})

describe('messages without a call', () => {
  test('have no empty list of calls, and a content', () => {
    const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'assistant', content: 'A', tool_calls: [] },
      { role: 'assistant', content: null, tool_calls: null },
      { role: 'assistant', content: null, tool_calls: [call], function_call: null },
      { role: 'user', content: 'B' },
    ]
    expect(withoutEmptyCalls({ messages }, new Rewrites())['messages']).toEqual([
      { role: 'assistant', content: 'A' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'user', content: 'B' },
    ])
  })

  test('are the same where none has one', () => {
    const chat = { messages: [{ role: 'assistant', content: 'A' }] }
    expect(withoutEmptyCalls(chat, new Rewrites())).toBe(chat)
  })
})
