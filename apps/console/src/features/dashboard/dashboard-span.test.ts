import { expect, test } from 'bun:test'
import { readDashboardSearch } from './dashboard-search.ts'
import { bucketAt, bucketsOf, spanBefore, spanOf } from './dashboard-span.ts'

const hour = 3_600
const day = 24 * hour
/** 2026-11-23 10:20:00 in UTC. */
const now = Date.UTC(2026, 10, 23, 10, 20) / 1000

test('a week is seven whole days and today so far', () => {
  const span = spanOf({ zone: 'utc' }, now)
  expect(span).toMatchObject({ bucket: 'day', from: Date.UTC(2026, 10, 16) / 1000, to: Date.UTC(2026, 10, 23, 11) / 1000 })
  expect(bucketsOf(span)).toHaveLength(8)
})

test('a day is shown by the hour, longer times by the day unless hours are chosen', () => {
  expect(bucketsOf(spanOf({ range: '24h' }, now))).toHaveLength(25)
  expect(spanOf({ range: '30d' }, now).bucket).toBe('day')
  expect(spanOf({ range: '7d', by: 'hour' }, now).bucket).toBe('hour')
  expect(spanOf({ range: '90d', by: 'hour' }, now).bucket).toBe('day')
  expect(bucketsOf(spanOf({ range: '1y', zone: 'utc' }, now)).length).toBeLessThanOrEqual(366)
})

test('chosen times are kept, and at most a year of them', () => {
  const chosen = spanOf({ start: now - 10 * hour, end: now - 2 * hour }, now)
  expect(chosen).toMatchObject({ from: now - 10 * hour - 1_200, to: now - 2 * hour + 2_400, bucket: 'hour' })
  expect(bucketsOf(spanOf({ start: 1, end: now, zone: 'utc' }, now)).length).toBeLessThanOrEqual(366)
  expect(spanOf({ start: now + day, end: now + 2 * day }, now).from).toBeLessThan(now)
})

test('the time before has the same length and ends where the other begins', () => {
  const span = spanOf({ range: '24h' }, now)
  expect(spanBefore(span)).toMatchObject({ from: span.from - 25 * hour, to: span.from })
})

test('a time is in the bucket that begins before it', () => {
  const buckets = bucketsOf(spanOf({ range: '24h' }, now))
  expect(bucketAt(buckets, buckets[3]?.from ?? 0)).toBe(3)
  expect(bucketAt(buckets, (buckets[3]?.to ?? 0) - 1)).toBe(3)
  expect(bucketAt(buckets, (buckets[0]?.from ?? 0) - 1)).toBe(-1)
  expect(bucketAt(buckets, buckets.at(-1)?.to ?? 0)).toBe(-1)
})

test('an address with one time only, or with times beside a range, has the range', () => {
  expect(readDashboardSearch({ start: 5 })).toEqual({})
  expect(readDashboardSearch({ start: 5, end: 4 })).toEqual({})
  expect(readDashboardSearch({ start: 5, end: 9, metric: 'tokens', group: 'planet' })).toEqual({ start: 5, end: 9, metric: 'tokens' })
  expect(readDashboardSearch({ start: 5, end: 9, range: '1y' })).toEqual({ range: '1y' })
})
