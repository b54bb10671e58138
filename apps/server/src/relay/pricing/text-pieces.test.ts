import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { piecesOf } from './text-pieces.ts'

const textsOf = (text: string, length: number): readonly string[] =>
  [...piecesOf(text, length)].map(([start, end]) => text.slice(start, end))

test('the pieces of a text are the text, none is too long, and no character is cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '的', '😀', '.', '\ud800'), maxLength: 300 })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (whole, length) => {
      const pieces = textsOf(whole, length)
      expect(pieces.join('')).toBe(whole)
      expect(pieces.every((piece) => piece.length > 0 && piece.length <= length)).toBe(true)
      expect(pieces.filter((piece) => piece.isWellFormed()).length === pieces.length || !whole.isWellFormed()).toBe(true)
    }),
  )
})

test.each([
  ['prose', 'The quick brown fox jumps over it, again and again. '],
  ['Chinese prose', '今天天气很好，我们一起去公园散步吧。'],
  ['contractions', "It isn't what we'd said, they're here 12345 times. "],
  ['code', 'function foo(bar) {\n  return bar + 1\n}\n\n'],
])('pieces of %s have the tokens of the text', (_, part) => {
  const text = part.repeat(400)
  const pieces = textsOf(text, 512)
  expect(pieces.length).toBeGreaterThan(10)
  expect(pieces.reduce((sum, piece) => sum + countTokens(piece), 0)).toBe(countTokens(text))
})
