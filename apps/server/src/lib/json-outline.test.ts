import { describe, expect, test } from 'bun:test'
import { endOfText } from '@sluice/vendors/core/json-text'
import fc from 'fast-check'
import { outlineOf } from './json-outline.ts'

const outline = (value: unknown) => outlineOf(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
const long = 'x'.repeat(200_000)

describe('the outline of a long object', () => {
  test('is the object itself when no text is long', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value)
        expect(outline(json)).toEqual({ json, cut: new Map() })
      }),
    )
  })

  test('has the beginnings of long texts, and reports by member name how much was cut off', () => {
    const value = { type: 'append', audio: long, list: [long, { text: long }], after: 'the end' }
    const read = outline(value)
    const kept = long.slice(0, 64 * 1024)
    expect(JSON.parse(read?.json ?? '')).toEqual({ ...value, audio: kept, list: [kept, { text: kept }] })
    const cut = long.length - kept.length
    expect([...(read?.cut ?? [])]).toEqual([
      ['audio', cut],
      ['list', cut],
      ['text', cut],
    ])
  })

  test('has the first number of long lists of numbers', () => {
    const vector = Array.from({ length: 3_000 }, (_, at) => at / -7)
    const value = {
      data: [
        { index: 0, embedding: vector },
        { index: 1, embedding: [1, 2] },
      ],
      usage: { prompt_tokens: 5 },
      empty: [[], [1.5]],
    }
    const seen = outline(value)
    expect(JSON.parse(seen?.json ?? '')).toEqual({ ...value, data: [{ index: 0, embedding: [0] }, value.data[1]] })
    const many = { data: Array.from({ length: 2_000 }, () => ({ embedding: vector })), usage: 1 }
    expect(JSON.parse(outline(many)?.json ?? '')).toMatchObject({ usage: 1 })
  })

  test('is valid JSON wherever a text with escapes and other scripts was cut', () => {
    const pieces = fc.constantFrom('\\', '"', '\n', '\u0001', 'a', 'é', '語', '\\\\\\', '😀')
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 9 }), fc.nat(8), (some, shift) => {
        const text = 'x'.repeat(shift) + some.join('').repeat(70_000)
        const read = outline({ text, after: 'the end' })
        expect(JSON.parse(read?.json ?? '')).toMatchObject({ after: 'the end' })
        expect(read?.json.length).toBeLessThan(70_000)
      }),
      { numRuns: 20 },
    )
  })

  test('keeps less of each text when there are very many', () => {
    const read = outline({ list: Array.from({ length: 200 }, () => long.slice(0, 60_000)) })
    expect(read?.json.length).toBeLessThan(1_200_000)
    expect(JSON.parse(read?.json ?? '').list).toHaveLength(200)
  })

  test('is refused when the object has too many values', () => {
    expect(outline({ list: Array.from({ length: 200_000 }, () => ({})) })).toBeNull()
    expect(outline(`{"a":${' '.repeat(600_000)}1}`)).toBeNull()
  })

  test('is empty for a value that is not an object', () => {
    for (const text of ['1'.repeat(1_000_000), '[{}]', '"{}"', '', ' '.repeat(600_000)]) expect(outline(text)?.json).toBe('')
    expect(outline(' {"a":1}')?.json).toBe(' {"a":1}')
  })
})

test('a text ends at its first quote that is not escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), fc.nat(3), fc.string({ maxLength: 20 }), (text, copies, behind) => {
      const json = JSON.stringify(text.repeat(copies))
      const bytes = Buffer.from(json + behind)
      expect(endOfText(bytes, 1)).toBe(Buffer.byteLength(json) - 1)
    }),
  )
  for (const count of [1, 2_000, 20_000]) {
    const escaped = Buffer.from(`"${'\\"'.repeat(count)}${'x'.repeat(count)}${'\\\\'.repeat(count)}" "`)
    expect(endOfText(escaped, 1)).toBe(1 + count * 5)
  }
  expect(endOfText(Buffer.from('"a'), 1)).toBe(2)
  expect(endOfText(Buffer.from('"a\\"'), 1)).toBeGreaterThanOrEqual(4)
})
