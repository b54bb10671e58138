import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type PriceFactors, quotaFor, ratesOf } from './price.ts'

const plain: PriceFactors = { model: 1, completion: 1, cached: 1, cacheWrite: 1, cacheWrite1h: 1, group: 1 }
const usage = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
})

// Figures that users of gateways of this family know: ratio, completion ratio, prompt, completion, quota.
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
    expect(quotaFor(usage(prompt, output), ratesOf({ ...plain, model, completion }))).toBe(quota)
  })
}

test('a group ratio multiplies the whole', () => {
  expect(quotaFor(usage(1000, 500), ratesOf({ ...plain, model: 2.5, completion: 4, group: 0.5 }))).toBe(3750)
})

test('cached and cache-write tokens are priced by their own factors and counted once', () => {
  const rates = ratesOf({ ...plain, model: 1.5, completion: 5, cached: 0.1, cacheWrite: 1.25, cacheWrite1h: 2 })
  const given = { promptTokens: 1000, completionTokens: 10, cachedTokens: 400, cacheWriteTokens: 200, cacheWrite1hTokens: 100 }
  expect(quotaFor(given, rates)).toBe(300 * 1.5 + 400 * 0.15 + 200 * 1.875 + 100 * 3 + 10 * 7.5)
})

test('no binary fraction overcharges: 3 tokens at 0.1 x 10 cost 3', () => {
  expect(quotaFor(usage(0, 3), ratesOf({ ...plain, model: 0.1, completion: 10 }))).toBe(3)
})

test('the price is the ceiling of the exact rational for every ratio and count', () => {
  const billionth = fc.integer({ min: 0, max: 2_000_000_000 })
  const count = fc.integer({ min: 0, max: 10_000_000 })
  fc.assert(
    fc.property(fc.tuple(billionth, billionth, billionth), fc.tuple(count, count), ([model, completion, group], [prompt, output]) => {
      const factors = { ...plain, model: model / 1e9, completion: completion / 1e9, group: group / 1e9 }
      const exact = BigInt(model) * BigInt(group) * (BigInt(prompt) * 1_000_000_000n + BigInt(output) * BigInt(completion))
      const quota = BigInt(quotaFor(usage(prompt, output), ratesOf(factors)))
      expect(quota * 10n ** 27n >= exact && (quota === 0n || (quota - 1n) * 10n ** 27n < exact)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
