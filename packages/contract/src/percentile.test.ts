import { expect, test } from 'bun:test'
import { timeBandEnds } from './duration-bands.ts'
import { addBands, percentileOf } from './percentile.ts'

const bands = (counts: Readonly<Record<number, number>>) => [...timeBandEnds, 0].map((_, index) => counts[index] ?? 0)

test('a percentile is in the band that has it', () => {
  expect(percentileOf(bands({}), 0.5)).toBeNull()
  expect(percentileOf(bands({ 0: 10 }), 0.5)).toEqual({ ms: 125, isMore: false })
  expect(percentileOf(bands({ 2: 4 }), 1)).toEqual({ ms: 1_000, isMore: false })
  expect(percentileOf(bands({ 2: 4 }), 0.5)?.ms).toBe(Math.round(500 * Math.SQRT2))
  expect(percentileOf(bands({ 1: 95, 6: 5 }), 0.95)).toEqual({ ms: 500, isMore: false })
  expect(percentileOf(bands({ 1: 90, 6: 10 }), 0.95)?.ms).toBe(Math.round(8_000 * Math.SQRT2))
  expect(percentileOf(bands({ 0: 1, 10: 9 }), 0.95)).toEqual({ ms: 128_000, isMore: true })
})

test('bands of several times are summed', () => {
  expect(addBands([bands({ 0: 1, 10: 2 }), bands({ 0: 3 })])).toEqual(bands({ 0: 4, 10: 2 }))
  expect(addBands([])).toEqual(bands({}))
})
