import { describe, expect, test } from 'bun:test'
import table from './prices.json' with { type: 'json' }
import { defaultPrice } from './prices.ts'

describe('a price', () => {
  test('is there for every row of the table, and its factors are numbers that can be paid', () => {
    const wrong = Object.keys(table.models).filter((model) => {
      const price = defaultPrice(model)
      return price === null || Object.values(price).some((factor) => !Number.isFinite(factor) || factor < 0 || factor > 10_000)
    })
    expect(wrong).toEqual([])
  })

  test('has only factors that are known', () => {
    const known = new Set(['ratio', 'completion', 'cached', 'cacheWrite', 'cacheWrite1h'])
    const names = new Set(Object.values(table.models).flatMap((row) => Object.keys(row)))
    expect([...names].filter((name) => !known.has(name))).toEqual([])
  })

  test('of cached input is the full one where no other is known', () => {
    expect(defaultPrice('gpt-4')).toEqual({ ratio: 15, completion: 2, cached: 1, cacheWrite: 1, cacheWrite1h: 1 })
  })

  test('is not made up, not even for names that every object has', () => {
    for (const model of ['no-such-model', '', 'constructor', '__proto__', 'toString']) expect(defaultPrice(model)).toBeNull()
  })
})
