import { seriesBucketsMax } from '@sluice/contract'
import type { Span } from './usage-rows.ts'

const bucketSeconds = { hour: 3_600, day: 86_400 } as const
export type Bucket = keyof typeof bucketSeconds

/** Default number of buckets when no start is given. */
const defaultBuckets = { hour: 24, day: 30 } as const

interface SeriesSpanParams {
  readonly start_timestamp: number
  readonly end_timestamp: number
  readonly bucket: Bucket
}

/** The whole hours that a series covers: not in the future, and not longer than the maximum. */
export function seriesSpan({ start_timestamp, end_timestamp, bucket }: SeriesSpanParams, now: number): Span {
  const hour = bucketSeconds.hour
  const end = end_timestamp > 0 ? Math.min(end_timestamp, now) : now
  const to = end - (end % hour) + hour
  const from = start_timestamp > 0 ? start_timestamp - (start_timestamp % hour) : to - defaultBuckets[bucket] * bucketSeconds[bucket]
  return { from: Math.max(from, to - seriesBucketsMax[bucket] * bucketSeconds[bucket]), to, endsNow: end === now }
}
