import { describe, expect, test } from 'bun:test'
import { parseJson } from './is-object.ts'
import { depthMax, isTooDeep } from './nesting.ts'

const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth)
const members = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('the nesting of a JSON text', () => {
  test.each([nested(depthMax), members(depthMax), `[${Array(1_000).fill('[{}]').join(',')}]`])('is counted, not the brackets', (text) => {
    expect(isTooDeep(text)).toBe(false)
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  test.each([nested(depthMax + 1), members(depthMax + 1), `{"a":${nested(100)}}`, nested(100_000)])('is limited', (text) => {
    expect(isTooDeep(text)).toBe(true)
    expect(parseJson(text)).toBeUndefined()
  })

  test.each([
    ['brackets', { text: nested(1_000) }],
    ['quotes and brackets', { text: '"['.repeat(1_000) }],
    ['backslashes before its end', { text: `${'['.repeat(1_000)}\\`, list: [1] }],
    ['an escaped quote at its end', { text: `${'['.repeat(1_000)}\\"`, list: [1] }],
  ])('is not that of a string with %s', (_name, value) => {
    expect(parseJson(JSON.stringify(value))).toEqual(value)
  })

  test('counts after a string that ends with backslashes', () => {
    expect(isTooDeep(`["\\\\",${nested(depthMax)}]`)).toBe(true)
  })

  test.each([
    ['backslashes', `{"a":"${'\\'.repeat(4_000_000)}"${'['.repeat(70)}`],
    ['escaped quotes', `${'{'.repeat(65)}"${'\\"'.repeat(2_000_000)}`],
    ['quotes', '"'.repeat(4_000_000) + '['.repeat(70)],
    ['brackets', nested(2_000_000)],
  ])('is found in linear time in %s', (_name, text) => {
    const before = performance.now()
    parseJson(text)
    expect(performance.now() - before).toBeLessThan(500)
  })
})
