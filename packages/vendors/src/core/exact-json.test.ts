import { describe, expect, test } from 'bun:test'
import { parseExactly } from './exact-json.ts'
import type { ExactNumber } from './exact-number.ts'
import { isObject } from './is-object.ts'

const written = (text: string): string => JSON.stringify(parseExactly(text))

/** Texts of numbers that a double or its shortest form would change. */
const changed = [
  ...['1234567890123456789', '-9223372036854775808', '18446744073709551615', '9007199254740993', '1.0', '-0', '-0.0', '0.10', '100.00'],
  ...['1E3', '1e3', '2.5e-7', '1e400', '0.1234567890123456789', '123456789012345678901234567890.5'],
]
const kept = [
  '0',
  '1',
  '-1',
  '0.5',
  '-0.5',
  '10',
  '100.5',
  '1234567890',
  '9007199254740991',
  'null',
  'true',
  '"1.0"',
  '"1234567890123456789"',
]

describe('numbers of tools keep their text', () => {
  for (const number of changed) {
    const places = [
      `{"arguments":{"a":${number}}}`,
      `{"arguments":{"a":[${number}]}}`,
      `{"arguments":{"a":[1,2,${number}]}}`,
      `{"arguments":{"a":["x",${number}]}}`,
      `{"arguments":{"a":[[1,2],[3,${number}]]}}`,
      `{"arguments":[{"b":1},${number}]}`,
      `{"content":[{"type":"tool_use","input":{"a":{"b":${number}}}}]}`,
      `{"tools":[{"function":{"parameters":{"properties":{"a":{"enum":[${number}],"maximum":${number}}}}}}]}`,
    ]
    for (const padding of ['', ' '.repeat(20_000)])
      test(`${number}${padding === '' ? '' : ' in a long text'}`, () => {
        for (const place of places) {
          const long = `{"text":"${padding}",${place.slice(1)}`
          expect(written(long)).toBe(long)
        }
      })
  }
  test('white space between marks and numbers', () => {
    expect(written('{ "arguments" :\n{ "a" :\t1.0 , "b" : [ 1 ,\r\n 1E3 ] } }')).toBe('{"arguments":{"a":1.0,"b":[1,1E3]}}')
  })
})

test('whole numbers keep their digits in every place', () => {
  for (const text of ['1234567890123456789', '[1234567890123456789]', '{"seed":9223372036854775807}', '{"a":[{"id":-9007199254740993}]}'])
    expect(written(text)).toBe(text)
})

test('settings and counts are plain numbers', () => {
  const read = parseExactly('{"temperature":1.0,"top_p":1E0,"usage":{"cost":2.50e-3,"details":[{"tokens":10.0}]}}')
  expect(read).toStrictEqual({ temperature: 1, top_p: 1, usage: { cost: 0.0025, details: [{ tokens: 10 }] } })
})

test('other values are as JSON.parse reads them', () => {
  for (const value of kept) {
    const text = `{"arguments":{"a":${value},"b":[${value}],"c":"\\"d\\": 1.0, [1.0]"}}`
    expect(parseExactly(text)).toStrictEqual(JSON.parse(text))
  }
})

test('an exact number is no object, and compares as a number', () => {
  const read = parseExactly('{"arguments":{"a":1234567890123456789}}')
  const { a } = (read as unknown as { readonly arguments: { readonly a: ExactNumber } }).arguments
  expect(isObject(a)).toBe(false)
  expect(Object.keys(a)).toEqual([])
  expect(Number(a) > 1e18 && Number(a) < 2e18).toBe(true)
})

test('random values are written as they were', () => {
  const seed = Date.now() % 1_000_000
  let state = seed
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const value = (depth: number): string => {
    const form = depth === 0 ? 0 : random(4)
    if (form === 1) return `[${Array.from({ length: random(4) }, () => value(depth - 1)).join()}]`
    if (form === 2) return `{${Array.from({ length: random(4) }, (_, at) => `"m${at}":${value(depth - 1)}`).join()}}`
    return pick([...changed, ...kept, '"a\\\\"', '"\\"x\\": 1.0"'])
  }
  for (let round = 0; round < 2_000; round += 1) {
    const text = `{"args":${value(5)}}`
    if (written(text) !== text) throw new Error(`seed ${seed}: ${text} became ${written(text)}`)
  }
})
