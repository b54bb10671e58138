import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { anyIds, claudeIds, openaiIds, withChatIds, withItemIds, withMessageIds } from './call-ids.ts'

const calling = (...ids: readonly string[]): JsonObject => ({
  role: 'assistant',
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
})
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: id })

const idsIn = (messages: readonly Json[]): readonly string[] =>
  [...JSON.stringify(messages).matchAll(/"(?:id|tool_call_id|tool_use_id|call_id)":"([^"]*)"/g)].map(([, id = '']) => id)

const tooLong = `call_${'x'.repeat(60)}`

describe('ids of calls', () => {
  test('that a vendor takes are left as they are, and the messages with them', () => {
    const messages = [calling('functions.f:0', 'functions.f:1'), result('functions.f:0'), result('functions.f:1'), calling('functions.f:0')]
    expect(withChatIds(messages, anyIds, new Rewrites())).toBe(messages)
  })

  test.each([
    ['of other characters', claudeIds, ['functions.f:0'], ['functions_f_0', 'functions_f_0']],
    ['that are too long', openaiIds, [tooLong], [`call_xxxxxxx_${'x'.repeat(19)}`, `call_xxxxxxx_${'x'.repeat(19)}`]],
    ['that are empty', anyIds, [''], ['tool', 'tool']],
    ['that are equal in one turn', anyIds, ['a', 'a'], ['a', 'a_2', 'a', 'a_2']],
  ] as const)('%s are replaced in calls and results', (_what, accepted, ids, expected) => {
    const rewrites = new Rewrites()
    const messages = withChatIds([calling(...ids), ...ids.map(result)], accepted, rewrites)
    expect(idsIn(messages)).toEqual([...expected])
    expect(rewrites.entries.map(({ kind }) => kind)).toContain('call_ids')
  })

  test('that come again are other ones in each turn, and a result belongs to the call before it', () => {
    const messages = [calling('a'), { role: 'user', content: 'Stop' }, calling('a'), result('a'), calling('a'), result('a')]
    expect(idsIn(withChatIds(messages, claudeIds, new Rewrites()))).toEqual(['a', 'a_2', 'a_2', 'a_3', 'a_3'])
  })

  test('of messages in Anthropic’s form are replaced in the same way', () => {
    const use = (id: string): JsonObject => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] })
    const toolResult = (id: string): JsonObject => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] })
    const messages = [use('f:0'), toolResult('f:0'), use('f:0'), toolResult('f:0'), use('toolu_1'), toolResult('toolu_1')]
    const renamed = withMessageIds(messages, new Rewrites())
    expect(idsIn(renamed)).toEqual(['f_0', 'f_0', 'f_0_2', 'f_0_2', 'toolu_1', 'toolu_1'])
    const fine = [use('toolu_1'), toolResult('toolu_1')]
    expect(withMessageIds(fine, new Rewrites())).toBe(fine)
  })

  test('of items are replaced where they are too long', () => {
    const items = [
      { type: 'function_call', call_id: tooLong, name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: tooLong, output: 'r' },
    ]
    const [one, other] = idsIn(withItemIds(items, new Rewrites()))
    expect([one?.length, one === other]).toEqual([32, true])
  })

  test('stay where the channel wants them unchanged', () => {
    const messages = [calling(''), result('')]
    expect(withChatIds(messages, claudeIds, new Rewrites(new Set(['call_ids'])))).toBe(messages)
  })
})
