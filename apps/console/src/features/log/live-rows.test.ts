import { describe, expect, test } from 'bun:test'
import type { LogRow } from '@sluice/contract'
import { lastId, pollDelay, watchedRowsMax, withWaiting } from './live-rows.ts'

/** Holds: these functions read the id only. */
const row = (id: number) => ({ id }) as LogRow
const ids = (rows: readonly LogRow[]) => rows.map(({ id }) => id)

describe('a watched log', () => {
  test('asks every five seconds, after failures less often, and once a minute at last', () => {
    expect([0, 1, 2, 3, 4, 50].map(pollDelay)).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  })

  test('keeps each waiting row once, and not more than some hundred', () => {
    expect(ids(withWaiting([row(3)], [row(4), row(3)]))).toEqual([4, 3])
    const many = Array.from({ length: 500 }, (_, index) => row(index + 10))
    expect(withWaiting([row(1)], many)).toHaveLength(watchedRowsMax)
  })

  test('begins behind the row that was written last', () => {
    expect(lastId([row(3), row(9), row(5)])).toBe(9)
    expect(lastId([])).toBe(0)
  })
})
