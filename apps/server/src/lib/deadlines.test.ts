import { expect, test } from 'bun:test'
import { createDeadlines } from './deadlines.ts'

/** A clock that counts how often it is read: each check of the deadlines reads it once. */
function countingClock() {
  const clock = {
    ms: 0,
    reads: 0,
    nowMs: () => clock.ms,
    monotonicMs() {
      clock.reads += 1
      return clock.ms
    },
  }
  return clock
}

const nextLook = async (clock: { readonly reads: number }): Promise<void> => {
  const before = clock.reads
  while (clock.reads === before) await new Promise((resolve) => setImmediate(resolve))
}

test('a deadline that has passed fires, one that was moved or cancelled does not', async () => {
  const clock = countingClock()
  const deadlines = createDeadlines(clock)
  const due: string[] = []
  const moved = deadlines.start(1_000, () => due.push('moved'))
  const cancelled = deadlines.start(1_000, () => due.push('cancelled'))
  deadlines.start(1_000, () => due.push('passed'))
  moved.at = 5_000
  deadlines.cancel(cancelled)
  clock.ms = 1_500
  await nextLook(clock)
  expect(due).toEqual(['passed'])
  deadlines.cancel(moved)
})

test('after the whole process was suspended, data that arrived meanwhile is read before any deadline fires (F47)', async () => {
  const clock = countingClock()
  const deadlines = createDeadlines(clock)
  const due: string[] = []
  const responded = deadlines.start(60_000, () => due.push('answered'))
  deadlines.start(60_000, () => due.push('silent'))
  clock.ms = 600_000
  await nextLook(clock)
  expect(due).toEqual([])
  // Its data was waiting in the socket.
  responded.at = clock.ms + 60_000
  await nextLook(clock)
  expect(due).toEqual(['silent'])
  deadlines.cancel(responded)
})
