import { expect, test } from 'bun:test'
import { isDue } from './timed-tests.ts'

test('channels are tested by themselves when the time that the option names has passed, and never where it names none', () => {
  expect(isDue(600_000, 599_999)).toBe(false)
  expect(isDue(600_000, 600_000)).toBe(true)
  expect(isDue(0, 1e12)).toBe(false)
})
