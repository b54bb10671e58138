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
    expect(pieces.map((piece) => piece.hours)).toEqual([96, 96, 24, 24, 1, 1])
    // If a longer span fits, it is used.
    const longer: Readonly<Record<number, number>> = { 1: 24, 24: 96, 96: Number.POSITIVE_INFINITY }
    for (const piece of pieces) expect((piece.to - piece.from) / hour).toBeLessThan(2 * (longer[piece.hours] ?? 0))
  }
})

test('most of a month is read from spans of days', () => {
  const from = 1_800_000_000 - (1_800_000_000 % (96 * hour)) + 5 * hour
  const lengths = piecesOf({ from, to: from + 30 * 24 * hour }).map((piece) => (piece.to - piece.from) / hour / piece.hours)
  expect(lengths).toEqual([6, 0, 3, 2, 19, 5])
})
