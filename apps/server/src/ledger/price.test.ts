import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Counts, type Products, quotaFor, quotaForAll, ratesOf, units } from './price.ts'

const tokens = (model: number, completion: number, group = 1): Products => ({
  prompt: [model, group],
  completion: [model, completion, group],
})

// Results known from one-api gateways: ratio, completion ratio, prompt, completion, quota.
const known: ReadonlyArray<readonly [number, number, number, number, number]> = [
  [0.25, 3, 1000, 500, 625],
  [2.5, 4, 1000, 500, 7500],
  [15, 2, 1, 0, 15],
  [0.075, 4, 1, 0, 1],
  [0.075, 4, 0, 0, 0],
  [0, 1, 1000, 0, 0],
  [1.5, 5, 1000, 1000, 9000],
  [0.01, 1, 8, 0, 1],
  [30, 1, 100, 100, 6000],
]

for (const [model, completion, prompt, output, quota] of known) {
  test(`ratio ${model} x ${completion}: ${prompt} in and ${output} out cost ${quota}`, () => {
    expect(quotaFor({ prompt, completion: output }, ratesOf(tokens(model, completion)))).toBe(quota)
  })
}

test('a group ratio multiplies the whole', () => {
  expect(quotaFor({ prompt: 1000, completion: 500 }, ratesOf(tokens(2.5, 4, 0.5)))).toBe(3750)
})

test('every unit is priced by its own factors', () => {
  const rates = ratesOf({ ...tokens(1.5, 5), cached: [1.5, 0.1], cacheWrite: [1.5, 1.25], cacheWrite1h: [1.5, 2] })
  const counts = { prompt: 300, completion: 10, cached: 400, cacheWrite: 200, cacheWrite1h: 100 }
  expect(quotaFor(counts, rates)).toBe(300 * 1.5 + 400 * 0.15 + 200 * 1.875 + 100 * 3 + 10 * 7.5)
})

test('no binary fraction overcharges: 3 tokens at 0.1 x 10 cost 3', () => {
  expect(quotaFor({ completion: 3 }, ratesOf(tokens(0.1, 10)))).toBe(3)
})

/** A price in decimal notation: digits and the position of the decimal point. */
const decimal = fc
  .tuple(fc.integer({ min: 0, max: 2_000_000_000 }), fc.integer({ min: 0, max: 14 }))
  .map(([digits, places]) => Number(`${digits}e-${places}`))
const products: fc.Arbitrary<Products> = fc.record(Object.fromEntries(units.map((unit) => [unit, fc.array(decimal, { maxLength: 5 })])), {
  requiredKeys: [],
})
const counts: fc.Arbitrary<Counts> = fc.record(
  Object.fromEntries(units.map((unit) => [unit, fc.oneof(fc.nat(50_000), fc.nat(1_000_000_000))])),
  { requiredKeys: [] },
)

/** Computes the same in another way: every decimal in units of 10^-18, from its digits. */
function oracle(used: Counts, price: Products): bigint {
  const places = 24n
  const scaled = (value: number): bigint => {
    const [mantissa = '0', exponent = '0'] = String(value).split('e')
    const [whole = '0', part = ''] = mantissa.split('.')
    const shift = places + BigInt(exponent) - BigInt(part.length)
    return BigInt(whole + part) * 10n ** shift
  }
  let top = 0n
  for (const unit of units) {
    const factors = price[unit] ?? []
    if (factors.length === 0) continue
    const product = factors.reduce((all, factor) => all * scaled(factor), 1n) * 10n ** (places * BigInt(5 - factors.length))
    top += BigInt(used[unit] ?? 0) * product
  }
  const bottom = 10n ** (places * 5n)
  return top / bottom + (top % bottom === 0n ? 0n : 1n)
}

describe('every price', () => {
  test('is the ceiling of the exact rational, whatever the factors and counts of all classes', () => {
    fc.assert(
      fc.property(counts, products, (used, price) => {
        const exact = oracle(used, price)
        const most = BigInt(Number.MAX_SAFE_INTEGER)
        expect(BigInt(quotaFor(used, ratesOf(price)))).toBe(exact > most ? most : exact)
      }),
      { numRuns: 700 },
    )
  })

  test('is a whole number that a balance can hold, and never negative, whatever counts come in', () => {
    const odd = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-1, Number.NaN, 2 ** 53 + 2, Infinity, 0.5, -0))
    const oddCounts: fc.Arbitrary<Counts> = fc.record(Object.fromEntries(units.map((unit) => [unit, odd])))
    fc.assert(
      fc.property(oddCounts, products, (used, price) => {
        const quota = quotaFor(used, ratesOf(price))
        expect(Number.isSafeInteger(quota) && quota >= 0).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('grows with each count', () => {
    fc.assert(
      fc.property(counts, products, fc.constantFrom(...units), (used, price, unit) => {
        const rates = ratesOf(price)
        const more = { ...used, [unit]: (used[unit] ?? 0) + 1 }
        expect(quotaFor(more, rates)).toBeGreaterThanOrEqual(quotaFor(used, rates))
      }),
    )
  })
})

describe('the quota of several models', () => {
  test('is rounded up once for all of them together', () => {
    const rates = ratesOf({ images: [0.5] })
    const charge = { counts: { images: 1 }, rates }
    expect(quotaForAll([charge])).toBe(1)
    expect(quotaForAll([charge, charge])).toBe(1)
    expect(quotaForAll([charge, charge, { counts: { prompt: 1 }, rates: ratesOf({ prompt: [0.000_001] }) }])).toBe(2)
    expect(quotaForAll([])).toBe(0)
  })

  test('lies between that of each and the sum of all', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(counts, products), { maxLength: 4 }), (parts) => {
        const charges = parts.map(([used, price]) => ({ counts: used, rates: ratesOf(price) }))
        const each = charges.map((charge) => quotaFor(charge.counts, charge.rates))
        const all = quotaForAll(charges)
        expect(all).toBeGreaterThanOrEqual(Math.max(0, ...each))
        const sum = each.reduce((total, quota) => total + quota, 0)
        if (Number.isSafeInteger(sum)) expect(all).toBeLessThanOrEqual(sum)
      }),
    )
  })
})

test('a price is shown as people write it', () => {
  const { each } = ratesOf({ prompt: [1.25], completion: [1.25, 4], images: [0.04, 500_000], audioMs: [0.0001, 500_000, 0.001] })
  expect([each.prompt, each.completion, each.images, each.audioMs, each.calls]).toEqual([1.25, 5, 20_000, 0.05, 0])
})
