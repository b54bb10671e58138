import { expect, test } from 'bun:test'
import { outputText } from './output-text.ts'

test('the text of a chunk of a response counts whatever the names of its members', () => {
  expect(outputText({ type: 'reasoning_delta', reasoning: 'a', more: [{ deep: { text: 'b' } }, 'c'], count: 3 })).toBe('abc')
})

test('what a tool is called with counts as JSON', () => {
  expect(outputText({ type: 'tool_use', id: 't', name: 'f', input: { city: 'Rome' } })).toBe('{"city":"Rome"}')
  expect(outputText({ type: 'tool_use', id: 't', name: 'f', input: {} })).toBe('')
  expect(outputText({ name: 'f', arguments: '{"a":' })).toBe('{"a":')
})

test('names, signatures, citations and bytes do not count', () => {
  expect(
    outputText({ role: 'assistant', id: 'x', signature: 's', citation: { cited_text: 'c' }, audio: { id: 'a', data: 'AAAA' }, url: 'u' }),
  ).toBe('')
})
