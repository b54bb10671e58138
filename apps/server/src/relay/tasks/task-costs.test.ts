import { describe, expect, test } from 'bun:test'
import type { TaskCounts } from '@sluice/vendors/core/task'
import { quotaFor, ratesOf, storedRates } from '../../ledger/price.ts'
import { finalCost } from './task-costs.ts'

/** A cent for a credit, and for a second of video. */
const rates = ratesOf({ credits: [0.01, 500_000, 0.001], videoMs: [0.01, 500_000, 0.001] })
const cost = (created: TaskCounts, counted: TaskCounts, most?: TaskCounts) =>
  finalCost({ rates: storedRates(rates), counts: created, ...(most && { most }), seconds: null, size: null }, counted)

describe('a task costs', () => {
  test('what its vendor counted, rounded up once', () => {
    expect(cost({ credits: 10 }, { credits: 12.5 })).toMatchObject({ amount: 62_500, isSuspect: false })
    // 0.1 + 0.2 as programs add it.
    expect(cost({ credits: 1 }, { credits: 0.1 + 0.2 }).amount).toBe(1_500)
  })

  test.each([1e-300, Number.MIN_VALUE, 0.0001])('at most one unit for an absurdly small count (%p)', (credits) => {
    expect(cost({ credits: 1 }, { credits }).amount).toBeLessThanOrEqual(1)
    expect(cost({ seconds: 1 }, { seconds: credits }).amount).toBeLessThanOrEqual(1)
  })

  test('what was requested, if its vendor counted more than five times as much', () => {
    expect(cost({ credits: 10 }, { credits: 50 })).toMatchObject({ amount: 250_000, isSuspect: false })
    expect(cost({ credits: 10 }, { credits: 1_000_000_000 })).toMatchObject({ amount: 50_000, isSuspect: true })
    expect(cost({ seconds: 8 }, { seconds: 41 })).toMatchObject({ amount: 40_000, isSuspect: true })
  })

  test('of more than five times as much what the dearest order of the model has', () => {
    expect(cost({ credits: 10 }, { credits: 1_000_000_000 }, { credits: 200 })).toMatchObject({ amount: 1_000_000, isSuspect: true })
    expect(cost({ seconds: 2 }, { seconds: 12 }, { seconds: 15 })).toMatchObject({ amount: 60_000, isSuspect: true })
    expect(cost({ seconds: 2 }, { seconds: 12 }, { seconds: 1 })).toMatchObject({ amount: 10_000, isSuspect: true })
  })
})

test('a price of almost nothing costs one unit at most', () => {
  for (const price of [1e-300, Number.MIN_VALUE, 1e-13]) {
    const tiny = ratesOf({ prompt: [price] })
    expect(quotaFor({ prompt: 1_000 }, tiny)).toBe(1)
    expect(tiny.paid).toEqual(['prompt'])
  }
})
