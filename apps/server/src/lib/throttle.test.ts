import { expect, test } from 'bun:test'
import { createThrottle } from './throttle.ts'

function throttle() {
  let ms = 0
  const clock = { nowMs: () => ms, monotonicMs: () => ms }
  const { take, giveBack, forget } = createThrottle(clock, { free: 3, windowMs: 60_000, waitMaxMs: 8_000 })
  const pass = (seconds: number): void => {
    ms += seconds * 1000
  }
  return { take, giveBack, forget, pass }
}

test('after the free tries each further one doubles the wait, up to a maximum', () => {
  const { take, pass } = throttle()
  expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0])
  for (const seconds of [1, 2, 4, 8, 8]) {
    expect(take('a')).toBe(seconds)
    pass(seconds)
    expect(take('a')).toBe(0)
  }
})

test('a hundred tries at once do not pass as one', () => {
  const { take } = throttle()
  expect(Array.from({ length: 100 }, () => take('a')).filter((wait) => wait === 0)).toHaveLength(3)
})

test('keys do not slow each other down', () => {
  const { take } = throttle()
  for (let tries = 0; tries < 10; tries++) take('a')
  expect(take('b')).toBe(0)
})

test('a good try that is given back does not count, and does not erase the bad ones', () => {
  const { take, giveBack } = throttle()
  for (let tries = 0; tries < 10; tries++) {
    expect(take('good')).toBe(0)
    giveBack('good')
  }
  for (const key of ['bad', 'bad']) take(key)
  expect(take('bad')).toBe(0)
  giveBack('bad')
  expect(take('bad')).toBe(0)
  expect(take('bad')).toBe(1)
})

test('a key that is forgotten, or unused for the whole window, starts again', () => {
  const { take, forget, pass } = throttle()
  for (let tries = 0; tries < 4; tries++) take('a')
  forget('a')
  expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0])
  pass(61)
  expect([take('a'), take('a'), take('a')]).toEqual([0, 0, 0])
  expect(take('a')).toBe(1)
})
