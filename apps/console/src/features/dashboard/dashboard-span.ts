import { seriesBucketsMax } from '@sluice/contract'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { type DashboardFilters, defaultRange, rangeDays } from './dashboard-search.ts'

const hour = 3_600
const day = 86_400

export interface DashboardSpan extends TimeSpan {
  readonly bucket: 'hour' | 'day'
  readonly isUtc: boolean
}

/** Up to this length a bar is an hour unless the reader chose otherwise. */
const byHour = 3 * day

/** What the charts show: whole hours or days, as the server adds them up. Times that it does not add up by the hour are shown by the day. */
export function spanOf({ range, start, end, by, zone }: DashboardFilters, nowSeconds: number): DashboardSpan {
  const isUtc = zone === 'utc'
  const last = end === undefined ? nowSeconds : Math.min(end, nowSeconds)
  const first = start === undefined ? last - rangeDays[range ?? defaultRange] * day : Math.min(start, last - hour)
  const length = last - first
  const wish = by ?? (length <= byHour ? 'hour' : 'day')
  const bucket = wish === 'hour' && length > (seriesBucketsMax.hour - 1) * hour ? 'day' : wish
  const from = Math.max(bucket === 'hour' ? first - (first % hour) : dayStart(first, isUtc), last - (seriesBucketsMax.day - 1) * day)
  return { from: bucket === 'hour' ? from : dayStart(from, isUtc), to: Math.ceil(last / hour) * hour, bucket, isUtc }
}

/** The same length of time before. */
export function spanBefore(span: DashboardSpan): DashboardSpan {
  return { ...span, from: span.from - (span.to - span.from), to: span.from }
}

/** The hours or days of a span. */
export function bucketsOf({ from, to, bucket, isUtc }: DashboardSpan): readonly TimeSpan[] {
  const buckets: TimeSpan[] = []
  for (let at = from; at < to; ) {
    const next = bucket === 'hour' ? at + hour : nextDay(at, isUtc)
    buckets.push({ from: at, to: next })
    at = next
  }
  return buckets
}

/** The index of the bucket in which a time is; -1 = none. */
export function bucketAt(buckets: readonly TimeSpan[], time: number): number {
  const index = buckets.findLastIndex(({ from }) => from <= time)
  const found = buckets[index]
  return found !== undefined && time < found.to ? index : -1
}

function dayStart(at: number, isUtc: boolean): number {
  if (isUtc) return at - (at % day)
  const date = new Date(at * 1000)
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 1000)
}

/** Days of a change of the clock have 23 or 25 hours. */
function nextDay(at: number, isUtc: boolean): number {
  if (isUtc) return at + day
  const date = new Date(at * 1000)
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime() / 1000)
}
