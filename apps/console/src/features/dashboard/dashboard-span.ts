import { seriesBucketsMax } from '@sluice/contract'
import { dayStart, daysBefore, monthStart, nextDay, ownZone, zoneNamed } from '../../lib/zone-time.ts'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { type DashboardFilters, defaultRange, type Range, rangeDays } from './dashboard-search.ts'

const hour = 3_600
const day = 86_400

export interface DashboardSpan extends TimeSpan {
  readonly bucket: 'hour' | 'day'
  /** The zone in which days begin and times are shown. */
  readonly zone: string
}

/** Up to this length a bar is an hour unless the reader chose otherwise. */
const byHour = 3 * day

/** What the charts show: whole hours or days, as the server aggregates them. Ranges that it does not aggregate hourly are shown daily. */
export function spanOf({ range, start, end, by, zone: named = '' }: DashboardFilters, nowSeconds: number): DashboardSpan {
  const zone = zoneNamed(named) ?? ownZone()
  const last = end === undefined ? nowSeconds : Math.min(end, nowSeconds)
  const first = start === undefined ? firstOf(range ?? defaultRange, last, zone) : Math.min(start, last - hour)
  const length = last - first
  const preferred = by ?? (length <= byHour ? 'hour' : 'day')
  const bucket = preferred === 'hour' && length > (seriesBucketsMax.hour - 1) * hour ? 'day' : preferred
  const startOf = (at: number) => (bucket === 'hour' ? at - (at % hour) : dayStart(at, zone))
  const from = Math.max(startOf(first), last - (seriesBucketsMax.day - 1) * day)
  return { from: startOf(from), to: Math.ceil(last / hour) * hour, bucket, zone }
}

function firstOf(range: Range, last: number, zone: string): number {
  if (range === 'today') return dayStart(last, zone)
  return range === 'month' ? monthStart(last, zone) : last - rangeDays[range] * day
}

/**
 * The previous period, of the same length: daily bars are compared with as many days, up to the same time of day; the current day or month
 * so far with the same part of the previous one.
 */
export function spanBefore(span: DashboardSpan, range: Range | undefined): DashboardSpan {
  const { from, to, zone, bucket } = span
  if (range === 'month') {
    const start = monthStart(from, zone, 1)
    // A month may be shorter than the one after it.
    return { ...span, from: start, to: Math.min(start + to - from, from) }
  }
  if (range !== 'today' && bucket === 'hour') return { ...span, from: from - (to - from), to: from }
  const days = range === 'today' ? 1 : bucketsOf(span).length
  return { ...span, from: daysBefore(from, days, zone), to: daysBefore(to, days, zone) }
}

/** The hours or days of a span. */
export function bucketsOf({ from, to, bucket, zone }: DashboardSpan): readonly TimeSpan[] {
  const buckets: TimeSpan[] = []
  for (let at = from; at < to; ) {
    const next = bucket === 'hour' ? at + hour : nextDay(at, zone)
    buckets.push({ from: at, to: next })
    at = next
  }
  return buckets
}

/** The index of the bucket in which a time is; -1 = none. */
export function bucketAt(buckets: readonly TimeSpan[], time: number): number {
  const index = buckets.findLastIndex(({ from }) => from <= time)
  const bucket = buckets[index]
  return bucket !== undefined && time < bucket.to ? index : -1
}
