import { expect, test } from 'bun:test'
import { readDashboardSearch } from './dashboard-search.ts'
import { bucketAt, bucketsOf, spanBefore, spanOf } from './dashboard-span.ts'

const hour = 3_600
const day = 24 * hour
/** 2026-11-23 10:20:00 in UTC. */
const now = Date.UTC(2026, 10, 23, 10, 20) / 1000

test('a week is seven whole days and today so far', () => {
  const span = spanOf({ zone: 'UTC' }, now)
  expect(span).toMatchObject({ bucket: 'day', from: Date.UTC(2026, 10, 16) / 1000, to: Date.UTC(2026, 10, 23, 11) / 1000 })
  expect(bucketsOf(span)).toHaveLength(8)
})

test('a day is shown by the hour, longer times by the day unless hours are chosen', () => {
  expect(bucketsOf(spanOf({ range: '24h' }, now))).toHaveLength(25)
  expect(spanOf({ range: '30d' }, now).bucket).toBe('day')
  expect(spanOf({ range: '7d', by: 'hour' }, now).bucket).toBe('hour')
  expect(spanOf({ range: '90d', by: 'hour' }, now).bucket).toBe('day')
  expect(bucketsOf(spanOf({ range: '1y', zone: 'UTC' }, now)).length).toBeLessThanOrEqual(366)
})

test('chosen times are kept, and at most a year of them', () => {
  const chosen = spanOf({ start: now - 10 * hour, end: now - 2 * hour }, now)
  expect(chosen).toMatchObject({ from: now - 10 * hour - 1_200, to: now - 2 * hour + 2_400, bucket: 'hour' })
  expect(bucketsOf(spanOf({ start: 1, end: now, zone: 'UTC' }, now)).length).toBeLessThanOrEqual(366)
  expect(spanOf({ start: now + day, end: now + 2 * day }, now).from).toBeLessThan(now)
})

test('the previous period has the same length and ends where the other begins', () => {
  const span = spanOf({ range: '24h' }, now)
  expect(spanBefore(span, '24h')).toMatchObject({ from: span.from - 25 * hour, to: span.from })
})

test('bars of days stand beside as many days up to the same time of day, also if clocks change between them', () => {
  const span = spanOf({ range: '7d', zone: 'Europe/Berlin' }, now)
  expect(spanBefore(span, '7d')).toMatchObject({ from: Date.UTC(2026, 10, 7, 23) / 1000, to: Date.UTC(2026, 10, 15, 11) / 1000 })
  const autumn = spanOf({ range: '30d', zone: 'Europe/Berlin' }, now)
  const before = spanBefore(autumn, '30d')
  expect([bucketsOf(autumn).length, bucketsOf(before).length]).toEqual([31, 31])
  expect(before).toMatchObject({ from: Date.UTC(2026, 8, 22, 22) / 1000, to: Date.UTC(2026, 9, 23, 10) / 1000 })
  expect(bucketsOf(before)[0]).toEqual({ from: Date.UTC(2026, 8, 22, 22) / 1000, to: Date.UTC(2026, 8, 23, 22) / 1000 })
})

test('today and this month so far stand beside the same part of the day and the month before', () => {
  const utc = (...parts: readonly [number, number, number, number?]) => Date.UTC(...parts) / 1000
  const today = spanOf({ range: 'today', zone: 'Asia/Shanghai' }, now)
  expect(today).toMatchObject({ bucket: 'hour', from: utc(2026, 10, 22, 16), to: utc(2026, 10, 23, 11) })
  expect(spanBefore(today, 'today')).toMatchObject({ from: utc(2026, 10, 21, 16), to: utc(2026, 10, 22, 11) })
  const month = spanOf({ range: 'month', zone: 'UTC' }, now)
  expect(month).toMatchObject({ bucket: 'day', from: utc(2026, 10, 1), to: utc(2026, 10, 23, 11) })
  expect(spanBefore(month, 'month')).toMatchObject({ from: utc(2026, 9, 1), to: utc(2026, 9, 23, 11) })
  // The last days of March have none beside them in February.
  const march = spanOf({ range: 'month', zone: 'UTC' }, utc(2026, 2, 31, 5))
  expect(spanBefore(march, 'month')).toMatchObject({ from: utc(2026, 1, 1), to: utc(2026, 2, 1) })
})

test('a zone that the browser does not know is its own', () => {
  expect(spanOf({ zone: 'utc' }, now).zone).toBe('UTC')
  expect(spanOf({ zone: 'Mars/Base' }, now)).toEqual(spanOf({}, now))
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
