import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { writtenBody } from './request-text.ts'

const written = (body: JsonObject) => {
  const rewrites = new Rewrites()
  return { text: writtenBody(body, rewrites), notes: rewrites.entries.map(({ kind }) => kind) }
}

describe('halves of pairs become U+FFFD', () => {
  test.each([
    ['in a text', { a: 'x \ud83d y \udc00' }, { a: 'x \ufffd y \ufffd' }],
    ['in a name', { a: { 'b\ud83d': 1 } }, { a: { 'b\ufffd': 1 } }],
    ['beside members that are left out', { a: '\ud83d', stop: undefined, user: null }, { a: '\ufffd', user: null }],
    ['beside pairs and backslashes', { a: '\ud83d\ude00\ud83d C:\\udder \\ud83d' }, { a: '\ud83d\ude00\ufffd C:\\udder \\ud83d' }],
    [
      'in arguments of calls, where they are escaped',
      { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: '{"a":"\\ud83d \\ud83d\\ude00 \\\\ud83d"}' } }] }] },
      { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: '{"a":"\ufffd \\ud83d\\ude00 \\\\ud83d"}' } }] }] },
    ],
    [
      'in arguments of calls, beside what only looks like one',
      { input: [{ arguments: '{"a":"\\uD83D\\uDE00\\uDBFF\\n\\ud83d\\ud83d\\ude00 \\u0041 \\ud8zz"} \\ud8' }] },
      { input: [{ arguments: '{"a":"\\uD83D\\uDE00\ufffd\\n\ufffd\\ud83d\\ude00 \\u0041 \\ud8zz"} \\ud8' }] },
    ],
    [
      'in arguments of calls of responses',
      { input: [{ type: 'function_call', arguments: '{"a":"\\udc00"}' }] },
      { input: [{ type: 'function_call', arguments: '{"a":"\ufffd"}' }] },
    ],
  ])('%s', (_where, body, changed) => {
    expect(written(body)).toEqual({ text: JSON.stringify(changed), notes: ['characters'] })
  })
})

test('texts that only show escapes stay as they are', () => {
  const body = { messages: [{ role: 'tool', content: 'let half = "\\ud83d"; C:\\udder' }] }
  expect(written(body)).toEqual({ text: JSON.stringify(body), notes: [] })
})

test('a channel can leave them as they are', () => {
  const body = { a: '\ud83d' }
  expect(writtenBody(body, new Rewrites(new Set(['characters'])))).toBe(JSON.stringify(body))
})
