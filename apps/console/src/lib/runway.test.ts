import { expect, test } from 'bun:test'
import { runwayOf } from './runway.ts'

test('a balance lasts as long as the usage of the last seven days says', () => {
  expect(runwayOf(900, 700)).toEqual({ used: 700, days: 9, isLow: false })
})

test('a balance that lasts less than three days is low', () => {
  expect(runwayOf(299, 700)).toMatchObject({ days: 2, isLow: true })
  expect(runwayOf(300, 700)).toMatchObject({ days: 3, isLow: false })
})

test('without usage a balance does not end, but an empty one is low', () => {
  expect(runwayOf(1, 0)).toEqual({ used: 0, days: null, isLow: false })
  expect(runwayOf(0, 0)).toEqual({ used: 0, days: null, isLow: true })
})

test('an overdrawn balance lasts no day', () => {
  expect(runwayOf(-5, 70)).toEqual({ used: 70, days: 0, isLow: true })
})
