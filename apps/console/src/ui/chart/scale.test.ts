import { expect, test } from 'bun:test'
import { scaleOf, tickText } from './scale.ts'

test.each([
  [0, true, [0, 1, 2, 3, 4]],
  [3, true, [0, 1, 2, 3, 4]],
  [5, true, [0, 2, 4, 6, 8]],
  [97, true, [0, 25, 50, 75, 100]],
  [101, true, [0, 50, 100, 150, 200]],
  [8_000, true, [0, 2_000, 4_000, 6_000, 8_000]],
  [0.9, false, [0, 0.25, 0.5, 0.75, 1]],
])('an axis up to %p has round lines', (most, isWhole, ticks) => {
  const scale = scaleOf(most, isWhole)
  expect(scale.ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(ticks)
  expect(scale.max).toBeGreaterThanOrEqual(most)
})

test.each([
  ['800.0k', '800k'],
  ['2.0M', '2M'],
  ['1.5B', '1.5B'],
  ['$2.00', '$2.00'],
  ['0', '0'],
])('the text %p is %p at a line of the axis', (text, expected) => expect(tickText(text)).toBe(expected))
