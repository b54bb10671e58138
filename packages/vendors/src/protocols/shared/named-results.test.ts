import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { withNamedResults } from './named-results.ts'

const call = (id: string, name: string): JsonObject => ({ id, type: 'function', function: { name, arguments: '{}' } })
const asks = (...calls: readonly JsonObject[]): JsonObject => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string, content: string): JsonObject => ({ role: 'tool', tool_call_id: id, content })
const next: JsonObject = { role: 'user', content: 'So?' }

test('results that stand together come in the order of their calls, each with the name of its function', () => {
  const callMessage = asks(call('a', 'weather'), call('b', 'now'))
  expect(withNamedResults([callMessage, result('b', '12:00'), result('a', 'Rain'), next])).toEqual([
    callMessage,
    { ...result('a', 'Rain'), name: 'weather' },
    { ...result('b', '12:00'), name: 'now' },
    next,
  ])
})

test('an id that comes again in a later turn means the call of that turn', () => {
  const messages = [asks(call('call_0', 'weather')), result('call_0', 'Rain'), asks(call('call_0', 'now')), result('call_0', '12:00')]
  expect(withNamedResults(messages).map(({ name }) => name ?? null)).toEqual([null, 'weather', null, 'now'])
})

test('a result of no call keeps the name that it has', () => {
  const lost = { ...result('lost', 'Rain'), name: 'weather' }
  expect(withNamedResults([lost])).toEqual([lost])
})
