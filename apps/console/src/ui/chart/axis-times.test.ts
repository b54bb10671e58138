import { expect, test } from 'bun:test'
import { axisTimes } from './axis-times.ts'

test('an axis has few times, and none that its end would cut', () => {
  expect(axisTimes(0)).toEqual([])
  expect(axisTimes(1)).toEqual([0])
  expect(axisTimes(6)).toEqual([0, 1, 2, 3, 4, 5])
  expect(axisTimes(8)).toEqual([0, 2, 4, 6])
  expect(axisTimes(25)).toEqual([0, 5, 10, 15, 20])
  // The thirty-first bar is the last: there is room for a bar, but not for its time.
  expect(axisTimes(31)).toEqual([0, 6, 12, 18, 24])
  expect(axisTimes(30)).toEqual([0, 5, 10, 15, 20, 25])
})
