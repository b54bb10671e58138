import { type RawBuilder, sql } from 'kysely'
import { dayAt } from './day-edges.ts'
import type { Span } from './usage-rows.ts'
import { dayStart, type ZoneDays } from './zone-days.ts'

export interface BucketQuery {
  /** Whole hours. */
  readonly span: Span
  /** The days of the reader's time zone in the span; `null` = a bucket is an hour. */
  readonly days: ZoneDays | null
  /** The first and the last second that are wanted: within the first and the last hour of the span. */
  readonly range: Pick<Span, 'from' | 'to'>
}

/** The bucket of a row of sums: its hour, or the number of its day. */
export function bucketOf(days: ZoneDays | null): RawBuilder<number> {
  return days === null ? sql<number>`hour` : dayNumberOf(days)
}

/** The day in the reader's time zone at the start of an hour, counted from 1970. */
function dayNumberOf({ offsets: [first, ...later] }: ZoneDays): RawBuilder<number> {
  // Cast, because PostgreSQL treats untyped values in CASE as text.
  const number = (value: number) => sql`CAST(${value} AS BIGINT)`
  const offset = later.reduce(
    (before, { from, seconds }) => sql`CASE WHEN hour >= ${number(from)} THEN ${number(seconds)} ELSE ${before} END`,
    number(first.seconds),
  )
  return sql<number>`(hour + ${offset}) / 86400`
}

/** Whether a bucket has a wanted second. The first hour of a span may begin on the day before, and the last one end on the day after. */
export function isWanted({ days, range: { from, to } }: BucketQuery, bucket: number): boolean {
  return days === null || (bucket >= dayAt(days, from) && bucket <= dayAt(days, to))
}

/** When a bucket begins, in seconds since the epoch. */
export function startOf(days: ZoneDays | null, bucket: number): number {
  return days === null ? bucket : dayStart(days, bucket)
}
