import { expect, test } from 'bun:test'
import { createPace } from './pace.ts'

let ms = 0
const clock = { nowMs: () => ms, monotonicMs: () => ms }

test('lets a whole window through at once, says how long the next one waits, and lets it through then', () => {
  ms = 1_000
  const pace = createPace(clock, { count: 3, perSeconds: 30 })
  expect(['a', 'a', 'a', 'a'].map((key) => pace.take(key))).toEqual([0, 0, 0, 10])
  ms += 9_000
  expect(pace.take('a')).toBe(1)
  ms += 1_000
  expect([pace.take('a'), pace.take('a')]).toEqual([0, 10])
})

test('counts each key by itself', () => {
  const pace = createPace(clock, { count: 1, perSeconds: 60 })
  expect([pace.take('a'), pace.take('b'), pace.take('a')]).toEqual([0, 0, 60])
})

test('what was refused does not count, so asking again and again makes the wait no longer', () => {
  const pace = createPace(clock, { count: 1, perSeconds: 60 })
  for (let tries = 0; tries < 50; tries++) pace.take('a')
  ms += 60_000
  expect(pace.take('a')).toBe(0)
})

test('over a long time no more than the pace comes through, and no less', () => {
  const pace = createPace(clock, { count: 7, perSeconds: 10 })
  let through = 0
  for (let step = 0; step < 10_000; step++) {
    ms += 10
    if (pace.take('a') === 0) through += 1
  }
  expect(through).toBeGreaterThanOrEqual(70 + 6)
  expect(through).toBeLessThanOrEqual(70 + 7)
})

test('a hundred thousand invented keys push out old ones and nothing more', () => {
  const pace = createPace(clock, { count: 1, perSeconds: 60 })
  pace.take('first')
  for (let key = 0; key < 100_000; key++) pace.take(`invented ${key}`)
  expect([pace.take('first'), pace.take('invented 99999')]).toEqual([0, 60])
})
