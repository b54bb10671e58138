import { describe, expect, test } from 'bun:test'
import type { SeriesPoint } from '@sluice/contract'
import { barsOf, chartSpan, fittedSpan } from './chart-bars.ts'

const hour = 3_600
const day = 86_400
/** A full hour in every time zone with whole hours. */
const now = 1_790_000_000 - (1_790_000_000 % day) + 10 * hour + 120

const point = (time: number, requests = 1): SeriesPoint => ({
  ...{ time, id: 0, name: '', is_other: false, requests, failures: 0, quota: requests * 10 },
  ...{ prompt_tokens: 0, completion_tokens: 0, elapsed_time: 0 },
})

describe('the chart of a time', () => {
  test('has a bar for each hour of a day, three hours of a week, day of a month, and week of a year', () => {
    const count = (filters: Parameters<typeof chartSpan>[0]) => barsOf(chartSpan(filters, now), []).length
    expect(count({ range: '24h' })).toBe(25)
    expect(count({ range: '7d' })).toBeGreaterThanOrEqual(56)
    expect(count({ range: '7d' })).toBeLessThanOrEqual(57)
    expect(count({ range: '30d' })).toBe(31)
    expect(count({ start: now - 300 * day })).toBeLessThanOrEqual(44)
    expect(count({})).toBeLessThanOrEqual(53)
  })

  test('if shorter than the hourly totals cover, it is that of the day which ends with it, with the chosen range marked', () => {
    const span = chartSpan({ range: '15m' }, now)
    expect(span).toMatchObject({ bucket: 'hour', step: 1, chosen: { from: now - 900, to: now + 1 } })
    expect(span.to - span.from).toBe(day)
    expect(barsOf(span, [])).toHaveLength(24)
    const bar = barsOf(span, [])[3] ?? { from: 0, to: 0 }
    const narrowed = chartSpan({ start: bar.from, end: bar.to - 1 }, now)
    expect(narrowed.to).toBe(bar.to)
    expect(narrowed.chosen).toEqual({ from: bar.from, to: bar.to })
  })

  test('ends now although the chosen end is later', () => {
    expect(chartSpan({ start: now - day, end: now + day }, now).to).toBe(now + 1)
  })

  test('without a beginning begins with the first request, and shows a month at least', () => {
    const span = chartSpan({}, now)
    expect(barsOf(fittedSpan(span, {}, [point(now - 3 * day)]), [])).toHaveLength(31)
    const long = fittedSpan(span, {}, [point(now - 90 * day)])
    expect(long.step).toBe(1)
    expect(barsOf(long, []).length).toBeGreaterThanOrEqual(91)
    expect(fittedSpan(span, {}, [point(now - 200 * day)]).step).toBe(7)
  })

  test('counts every point in one bar', () => {
    const span = chartSpan({ range: '24h' }, now)
    const points = Array.from({ length: 25 }, (_, index) => point(span.from + index * hour, index))
    const bars = barsOf(span, points)
    expect(bars.map(({ requests }) => requests)).toEqual(points.map(({ requests }) => requests))
    expect(bars.reduce((sum, { quota }) => sum + quota, 0)).toBe(3_000)
    expect(bars.every(({ to }, index) => bars[index + 1] === undefined || bars[index + 1]?.from === to)).toBe(true)
  })
})
