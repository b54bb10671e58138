import { describe, expect, test } from 'bun:test'
import { parseJson } from './is-object.ts'

const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2)

describe('JSON of a vendor', () => {
  test('is read if it is nested as deeply as people nest it, also with brackets in strings', () => {
    const value = { text: '[{"\\'.repeat(10_000), list: JSON.parse(nested(500)), end: '\\' }
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  })

  test('is refused at once if it is nested so deeply that writing it would take seconds', () => {
    const began = performance.now()
    for (const levels of [2_000, 100_000, 1_000_000]) expect(parseJson(nested(levels))).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(500)
  })

  test('is refused if a string has no end', () => {
    for (const end of ['', '\\', '\\"']) expect(parseJson(`["${'x'.repeat(5_000)}${end}`)).toBeUndefined()
  })
})
