import { describe, expect, test } from 'bun:test'
import { parsePriceRules } from './index.ts'
import { priceRule } from './price-rules.ts'

/** Values that a field may have and may not have. */
const values: readonly unknown[] = [
  0,
  1,
  0.5,
  -1,
  1e9,
  999_999_999.5,
  -0,
  1.5,
  17,
  '',
  'a',
  'a'.repeat(257),
  true,
  false,
  null,
  [],
  {},
  [1],
  { ratio: 1 },
  { '1024x1024': 2 },
  { '1024x1024': -2 },
  { '1024x1024': '2' },
  [{}],
  [{ above: 1, ratio: 2 }],
  [{ above: 1.5 }],
  [{ above: 1, unknown: 2 }],
  Array.from({ length: 17 }, () => ({})),
  'free',
]

describe('price rules', () => {
  test('are accepted exactly if the schema of a rule accepts each', () => {
    const names = [...Object.keys(priceRule.shape), 'unknown', 'toString', 'constructor', 'Ratio', '']
    const rules = names.flatMap((name) => values.map((value) => ({ [name]: value })))
    const differing = rules.filter(
      (rule) => (parsePriceRules(JSON.stringify({ model: rule })) !== null) !== priceRule.safeParse(rule).success,
    )
    expect(differing).toEqual([])
  })

  test('keep what the text says', () => {
    const rules = { 'gpt-4o': { ratio: 1.25, completion: 4, tiers: [{ above: 200_000, ratio: 2 }] }, free: { free: true } }
    expect(parsePriceRules(JSON.stringify(rules))).toEqual(new Map(Object.entries(rules) as never))
    expect(parsePriceRules(' ')).toEqual(new Map())
  })

  test('are refused as a whole if one is none', () => {
    const texts = [
      '[]',
      'null',
      '1',
      '"a"',
      '{"a":1}',
      '{"a":[]}',
      '{"a":null}',
      '{"a":{"ratio":1},"b":{"ratio":"1"}}',
      '{"a":{"__proto__":1}}',
      '{',
    ]
    expect(texts.filter((text) => parsePriceRules(text) !== null)).toEqual([])
  })

  test('are read in a time that allows thousands of them', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`m${index}`, { ratio: 1 }])))
    const took = [1, 2, 3, 4, 5].map(() => {
      const began = performance.now()
      parsePriceRules(text)
      return performance.now() - began
    })
    // The schema of a whole rule takes 130 ms for each text.
    const plain = performance.now()
    for (let times = 0; times < 5; times++) JSON.parse(text)
    const parseMs = (performance.now() - plain) / 5
    expect(Math.min(...took)).toBeLessThan(Math.max(10, 8 * parseMs))
  })
})
