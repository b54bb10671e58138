import { expect, test } from 'bun:test'
import { createRateLimiter } from './rate-limiter.ts'

let ms = 0
const clock = { nowMs: () => ms, monotonicMs: () => ms }

test('allows a whole window at once, says how long the next one has to wait, and allows it then', () => {
  ms = 1_000
  const limiter = createRateLimiter(clock, { count: 3, perSeconds: 30 })
  expect(['a', 'a', 'a', 'a'].map((key) => limiter.take(key))).toEqual([0, 0, 0, 10])
  ms += 9_000
  expect(limiter.take('a')).toBe(1)
  ms += 1_000
  expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 10])
})

test('counts each key by itself', () => {
  const limiter = createRateLimiter(clock, { count: 1, perSeconds: 60 })
  expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([0, 0, 60])
})

test('refused tries do not count, so repeating them does not prolong the wait', () => {
  const limiter = createRateLimiter(clock, { count: 1, perSeconds: 60 })
  for (let tries = 0; tries < 50; tries++) limiter.take('a')
  ms += 60_000
  expect(limiter.take('a')).toBe(0)
})

test('over a long time exactly the configured rate is allowed', () => {
  const limiter = createRateLimiter(clock, { count: 7, perSeconds: 10 })
  let through = 0
  for (let step = 0; step < 10_000; step++) {
    ms += 10
    if (limiter.take('a') === 0) through += 1
  }
  expect(through).toBeGreaterThanOrEqual(70 + 6)
  expect(through).toBeLessThanOrEqual(70 + 7)
})

test('a hundred thousand invented keys evict old ones and have no other effect', () => {
  const limiter = createRateLimiter(clock, { count: 1, perSeconds: 60 })
  limiter.take('first')
  for (let key = 0; key < 100_000; key++) limiter.take(`invented ${key}`)
  expect([limiter.take('first'), limiter.take('invented 99999')]).toEqual([0, 60])
})
