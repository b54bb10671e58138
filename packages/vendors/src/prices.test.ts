import { describe, expect, test } from 'bun:test'
import table from './prices.json' with { type: 'json' }
import { defaultPrice, type Price } from './prices.ts'

const rows: ReadonlyArray<readonly [string, Price]> = Object.entries<Price>(table.models)

function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : []
}

describe('a price', () => {
  test('is there for every row of the table, and its factors are numbers that can be paid', () => {
    const wrong = rows.filter(([model, { tiers: _tiers, ...price }]) => {
      const isOdd = (factor: number): boolean => !Number.isFinite(factor) || factor < 0 || factor > 10_000
      return defaultPrice(model) === null || numbersOf(price).some(isOdd)
    })
    expect(wrong).toEqual([])
  })

  test('says of every model what is paid', () => {
    const bases = ['ratio', 'second', 'picture', 'call'] as const
    expect(rows.filter(([, price]) => bases.every((base) => price[base] === undefined))).toEqual([])
  })

  test('has only factors that are known', () => {
    const tokens = ['ratio', 'completion', 'cached', 'cacheWrite', 'cacheWrite1h', 'audio', 'audioCompletion', 'image', 'imageCompletion']
    const pieces = ['second', 'character', 'picture', 'pictures', 'pictureDefault', 'call', 'search']
    const known = new Set([...tokens, ...pieces, 'tiers', 'flex', 'priority', 'fast'])
    const names = new Set(rows.flatMap(([, row]) => Object.keys(row)))
    expect([...names].filter((name) => !known.has(name))).toEqual([])
  })

  test('of pictures by size says which size is meant where none is named', () => {
    const sized = rows.filter(([, { pictures }]) => pictures !== undefined)
    expect(sized.length).toBeGreaterThan(5)
    expect(sized.filter(([, { pictures = {}, pictureDefault = '' }]) => pictures[pictureDefault] === undefined)).toEqual([])
  })

  test('of longer requests has steps that rise', () => {
    const stepped = rows.filter(([, { tiers }]) => tiers !== undefined)
    expect(stepped.length).toBeGreaterThan(20)
    for (const [, { tiers = [] }] of stepped) {
      const steps = tiers.map(({ above = 0 }) => above)
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(tiers.every(({ ratio, above = 0, aboveOutput = 0 }) => ratio !== undefined && above + aboveOutput > 0)).toBe(true)
    }
  })

  test('is not made up, not even for names that every object has', () => {
    for (const model of ['no-such-model', '', 'constructor', '__proto__', 'toString']) expect(defaultPrice(model)).toBeNull()
  })
})
