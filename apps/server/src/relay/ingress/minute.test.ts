import { expect, test } from 'bun:test'
import { createMinute } from './minute-window.ts'

/** What the window promises, computed from all that was added. */
function listed() {
  const added: { readonly second: number; readonly count: number }[] = []
  const inWindow = (now: number) => added.filter(({ second }) => second > now - 60)
  return {
    add: (second: number, count: number) => void added.push({ second, count }),
    sum: (now: number) => inWindow(now).reduce((sum, { count }) => sum + count, 0),
    secondsUntilEmpty: (now: number) => Math.max(0, ...inWindow(now).map(({ second }) => second + 60 - now)),
  }
}

test('returns the sum of the last sixty seconds, whatever was added and undone', () => {
  const minute = createMinute()
  const expected = listed()
  let now = 1_000
  for (let step = 0; step < 2_000; step += 1) {
    now += [0, 0, 1, 0, 3, 0, 0, 59, 0, 61][step % 10] ?? 0
    const count = (step * 7) % 11
    minute.add(now, count)
    if (count > 0) expected.add(now, count)
    // An expectation is undone in its own second, also when that has passed.
    if (step % 3 === 0 && count > 0) {
      minute.add(now, -count)
      expected.add(now, -count)
    }
    const later = now + (step % 70)
    expect([minute.sum(now), minute.secondsUntilEmpty(now)]).toEqual([expected.sum(now), expected.secondsUntilEmpty(now)])
    if (step % 50 === 0) {
      now = later
      expect(minute.sum(later)).toBe(expected.sum(later))
    }
  }
})

test('undoes nothing that has left the window', () => {
  const minute = createMinute()
  minute.add(10, 5)
  expect(minute.sum(70)).toBe(0)
  minute.add(10, -5)
  expect(minute.sum(70)).toBe(0)
  minute.add(70, 2)
  expect([minute.sum(70), minute.secondsUntilBelow(70, 2)]).toEqual([2, 60])
})
