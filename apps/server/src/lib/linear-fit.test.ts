import { expect, test } from 'bun:test'
import { createLinearFit } from './linear-fit.ts'

const weights = [
  { value: 1, spread: 0.3 },
  { value: 0, spread: 30 },
]
const near = (seen: number, expected: number, share: number): void =>
  expect(Math.abs(seen - expected)).toBeLessThanOrEqual(expected * share)

test('before the first sample the given weights hold', () => {
  expect(createLinearFit(weights).predict([40, 1])).toBe(40)
})

test('a first sample is met at once by the least certain weight: the constant for few tokens, the factor for many', () => {
  const short = createLinearFit(weights)
  short.learn([10, 1], 30)
  near(short.predict([10, 1]), 30, 0.01)
  near(short.predict([20, 1]), 40, 0.03)
  const long = createLinearFit(weights)
  long.learn([10_000, 1], 13_000)
  near(long.predict([10_000, 1]), 13_000, 0.01)
  near(long.predict([1_000, 1]), 1_300, 0.03)
})

test('samples of several sizes separate the factor from the constant', () => {
  const fit = createLinearFit(weights)
  for (let round = 0; round < 4; round++) for (const size of [5, 400, 60, 2_000]) fit.learn([size, 1], 1.2 * size + 25)
  for (const size of [1, 30, 150, 5_000]) near(fit.predict([size, 1]), 1.2 * size + 25, 0.02)
})

test('a change is followed, however many samples came before, and no weight diverges', () => {
  const fit = createLinearFit(weights)
  for (let sample = 0; sample < 5_000; sample++) fit.learn([100 + (sample % 7), 1], 1.1 * (100 + (sample % 7)))
  for (let sample = 0; sample < 10; sample++) fit.learn([100, 1], 160)
  near(fit.predict([100, 1]), 160, 0.02)
})
