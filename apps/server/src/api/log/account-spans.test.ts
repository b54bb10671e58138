import { expect, test } from 'bun:test'
import { numbersFrom } from '../../../test/numbers-from.ts'
import { piecesOf } from './account-spans.ts'

const hour = 3_600

test('the pieces of a time span contain each hour once, begin at multiples of their lengths, and are few', () => {
  const seed = Date.now() % 100_000
  console.log(`SEED=${seed}`)
  const random = numbersFrom(seed)
  for (let round = 0; round < 500; round++) {
    const from = Math.floor(random() * 500_000) * hour
    const to = from + Math.floor(random() ** 3 * 10_000) * hour
    const pieces = piecesOf({ from, to })
    const hours = pieces.flatMap((piece) => {
      const length = piece.hours * hour
      expect([piece.from % length, piece.to % length]).toEqual([0, 0])
      return Array.from({ length: (piece.to - piece.from) / hour }, (_, index) => piece.from + index * hour)
    })
    expect(hours.sort((one, other) => one - other)).toEqual(Array.from({ length: (to - from) / hour }, (_, index) => from + index * hour))
    expect(pieces.map((piece) => piece.hours)).toEqual([384, 384, 96, 96, 24, 24, 1, 1])
    // If a longer span fits, it is used.
    const longer: Readonly<Record<number, number>> = { 1: 24, 24: 96, 96: 384, 384: Number.POSITIVE_INFINITY }
    for (const piece of pieces) expect((piece.to - piece.from) / hour).toBeLessThan(2 * (longer[piece.hours] ?? 0))
  }
})

const lengthsOf = (span: Parameters<typeof piecesOf>[0]): readonly number[] =>
  piecesOf(span).map((piece) => (piece.to - piece.from) / hour / piece.hours)

const start = 1_800_000_000 - (1_800_000_000 % (384 * hour)) + 5 * hour
const month = 30 * 24 * hour

test('most of a month is read from spans of days', () => {
  expect(lengthsOf({ from: start, to: start + month })).toEqual([0, 0, 6, 0, 3, 2, 19, 5])
  const earlier = start - 2 * 96 * hour
  expect(lengthsOf({ from: earlier, to: earlier + month })).toEqual([1, 0, 1, 1, 3, 2, 19, 5])
})

test('the end of a time span that ends now is read from a longest span', () => {
  const to = start + month
  const lengths = lengthsOf({ from: start, to, endsNow: true })
  expect(lengths).toEqual([1, 0, 3, 0, 3, 0, 19, 0])
  const last = Math.max(...piecesOf({ from: start, to, endsNow: true }).map((piece) => piece.to))
  expect(last).toBeGreaterThanOrEqual(to)
})
