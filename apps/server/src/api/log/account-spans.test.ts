import { expect, test } from 'bun:test'
import { numbersFrom } from '../../../test/numbers-from.ts'
import { piecesOf } from './account-spans.ts'

const hour = 3_600

test('the pieces of a time count each of its hours once and no other, and begin at multiples of their lengths', () => {
  const seed = Date.now() % 100_000
  console.log(`SEED=${seed}`)
  const random = numbersFrom(seed)
  for (let round = 0; round < 500; round++) {
    const from = Math.floor(random() * 500_000) * hour
    const to = from + Math.floor(random() ** 3 * 10_000) * hour
    const endsNow = random() < 0.3
    const pieces = piecesOf({ from, to, endsNow })
    const counts = new Map<number, number>()
    for (const piece of pieces) {
      const length = piece.hours * hour
      expect([piece.from % length, piece.to % length]).toEqual([0, 0])
      for (let at = piece.from; at < piece.to; at += hour) counts.set(at, (counts.get(at) ?? 0) + piece.sign)
    }
    const counted = [...counts].filter(([at, count]) => count !== 0 && !(endsNow && at >= to)).sort(([one], [other]) => one - other)
    expect(counted).toEqual(Array.from({ length: (to - from) / hour }, (_, index) => [from + index * hour, 1]))
    expect(pieces.map((piece) => piece.hours)).toEqual([384, 384, 96, 96, 24, 24, 1, 1])
    // More would be taken away or added than half of the next longer span, or of the time itself.
    const few: Readonly<Record<number, number>> = { 1: 48, 24: 8, 96: 12, 384: Number.POSITIVE_INFINITY }
    for (const piece of pieces) expect((piece.to - piece.from) / hour / piece.hours).toBeLessThan(few[piece.hours] ?? 0)
  }
})

const lengthsOf = (span: Parameters<typeof piecesOf>[0]): readonly number[] =>
  piecesOf(span).map((piece) => (piece.sign * (piece.to - piece.from)) / hour / piece.hours)

const start = 1_800_000_000 - (1_800_000_000 % (384 * hour)) + 5 * hour
const month = 30 * 24 * hour

test('most of a month is read from long spans, and what they hold beyond it is taken away', () => {
  expect(lengthsOf({ from: start, to: start + month })).toEqual([2, 0, 0, 0, -2, 0, -5, 5])
  const earlier = start - 3 * 96 * hour
  expect(lengthsOf({ from: earlier, to: earlier + month })).toEqual([2, 0, -1, 0, 2, 0, -5, 5])
})

test('the end of a time that ends now is read from a longest span', () => {
  const to = start + month
  expect(lengthsOf({ from: start, to, endsNow: true })).toEqual([2, 0, 0, 0, 0, 0, -5, 0])
  const last = Math.max(...piecesOf({ from: start, to, endsNow: true }).map((piece) => piece.to))
  expect(last).toBeGreaterThanOrEqual(to)
})

test('a time of some hours is read from hours', () => {
  expect(lengthsOf({ from: start, to: start + 7 * hour })).toEqual([0, 0, 0, 0, 0, 0, 7, 0])
})
