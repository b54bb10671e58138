import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsonFault } from './json-fault.ts'

test('a text that is JSON has no fault', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      expect(jsonFault(JSON.stringify(value, null, indent))).toBeNull()
    }),
  )
})

test('it agrees with the parser about every text, however it was broken', () => {
  const parses = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.constantFrom('', ',', '}', '"', ' ', '0', '-', 'x', '\n'), (value, seed, mark) => {
      const whole = JSON.stringify(value)
      const at = seed % (whole.length + 1)
      const broken = whole.slice(0, at) + mark + whole.slice(at + 1)
      expect([broken, jsonFault(broken) === null]).toEqual([broken, parses(broken)])
    }),
    { numRuns: 2_000 },
  )
})

test('it says where: the first thing that may not stand there', () => {
  expect(jsonFault('{bad')).toEqual({ line: 1, column: 2 })
  expect(jsonFault('{\n  "a": "b",\n}')).toEqual({ line: 3, column: 1 })
  expect(jsonFault('{"a": 1\n "b": 2}')).toEqual({ line: 2, column: 2 })
  expect(jsonFault('["a"')).toEqual({ line: 1, column: 5 })
  expect(jsonFault('{} {}')).toEqual({ line: 1, column: 4 })
})
