import { expect, test } from 'bun:test'
import { runBulk } from './run-bulk.ts'

const rows = Array.from({ length: 12 }, (_, index) => index)

test('never more than five at a time, and one failure stops no other', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  const result = await runBulk({
    rows,
    act: async (row) => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
      if (row === 3) throw new Error('no')
    },
    onProgress: (done) => void seen.push(done),
    signal: new AbortController().signal,
  })
  expect(most).toBe(5)
  expect(result.done).toHaveLength(11)
  expect(result.failed.map(({ row }) => row)).toEqual([3])
  expect(seen.at(-1)).toBe(12)
})

test('stopping leaves the rest alone', async () => {
  const stop = new AbortController()
  const acted: number[] = []
  await runBulk({
    rows,
    act: async (row) => {
      acted.push(row)
      stop.abort()
      await Promise.resolve()
    },
    onProgress: () => {},
    signal: stop.signal,
  })
  expect(acted.length).toBeLessThanOrEqual(5)
})
