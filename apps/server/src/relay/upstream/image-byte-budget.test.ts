import { expect, test } from 'bun:test'
import { createByteBudget } from '@sluice/http1/byte-budget'
import { imagesBytesMax } from '../../lib/body-memory.ts'
import { createDeadlines } from '../../lib/deadlines.ts'
import { countImages } from './image-byte-budget.ts'

const mebi = 1024 * 1024
const clock = { nowMs: () => 0, monotonicMs: () => 0 }
const budgetOf = (bytesMax: number) =>
  createByteBudget({ bytesMax, longestBytes: imagesBytesMax, monotonicMs: clock.monotonicMs, deadlines: createDeadlines(clock) })

test('images of one request count together, and those of another wait until they are released', async () => {
  const budget = budgetOf(8 * mebi)
  const first = countImages(budget)
  const [one, other] = [first.open(), first.open()]
  expect([one.grow(5 * mebi, null), other.grow(2 * mebi, null)]).toEqual([null, null])
  first.keep()
  const second = countImages(budget)
  const [early, late] = [second.open(), second.open()]
  const waiting = early.grow(9 * mebi, null)
  // The second request goes on alone, because nothing else arrives; a third one waits for it.
  expect(waiting).toBeNull()
  expect(late.grow(1 * mebi, null)).toBeNull()
  const third = countImages(budget)
    .open()
    .grow(1 * mebi, null)
  expect(third).toBeInstanceOf(Promise)
  first.release()
  second.release()
  await third
  expect(budget.usedBytes).toBeLessThanOrEqual(1 * mebi)
})

test('images that are too large together are aborted', () => {
  const counted = countImages(budgetOf(64 * mebi))
  const images = [counted.open(), counted.open(), counted.open(), counted.open()]
  expect(images.map((image) => image.grow(8 * mebi, null))).toEqual([null, null, null, null])
  expect([counted.isTooLarge(), counted.signal.aborted]).toEqual([false, false])
  expect(counted.open().grow(mebi, null)).toBeNull()
  expect([counted.isTooLarge(), counted.signal.aborted]).toEqual([true, true])
})
