import { daySeconds } from '../../lib/day.ts'
import type { Span } from './usage-rows.ts'
import { dayStart, offsetAt, type ZoneDays } from './zone-days.ts'

const hourSeconds = 3_600

/** Most edges that are read from the log: those of a quarter of a year. Days before them begin with the hour in which they begin. */
const edgesMax = 93

/** The part of an hour that belongs to the day which begins in it. */
export interface DayEdge extends Pick<Span, 'from' | 'to'> {
  /** The number of the day, from 1970 on. */
  readonly day: number
}

/** The number of the day in the zone at a time. */
export function dayAt(days: ZoneDays, at: number): number {
  return Math.floor((at + offsetAt(days, at)) / daySeconds)
}

/**
 * Where days of a zone begin within an hour of UTC, as in India and Nepal: the sums know whole hours only, and count them to the day in which they begin. Most
 * zones have none.
 */
export function dayEdges(days: ZoneDays | null, { from, to }: Span): readonly DayEdge[] {
  if (days === null || days.offsets.every(({ seconds }) => seconds % hourSeconds === 0)) return []
  const edges: DayEdge[] = []
  for (let day = dayAt(days, to); edges.length < edgesMax; day -= 1) {
    const start = dayStart(days, day)
    if (start <= from) break
    const isWithin = start < to && start % hourSeconds !== 0
    if (isWithin) edges.push({ day, from: start, to: start - (start % hourSeconds) + hourSeconds })
  }
  return edges
}

/** Counts of one bucket, by the name of the column. */
export interface BucketRow<Column extends string> {
  readonly bucket: number
  /** What distinguishes its rows besides the bucket. */
  readonly key: string
  readonly counts: Readonly<Record<Column, number>>
}

/** Counts the rows of edges to the day that begins there, and no longer to the one before. */
export function withEdges<Column extends string>(
  rows: ReadonlyArray<BucketRow<Column>>,
  edges: ReadonlyArray<BucketRow<Column>>,
): ReadonlyArray<BucketRow<Column>> {
  if (edges.length === 0) return rows
  const sums = new Map<string, BucketRow<Column>>()
  function add({ bucket, key, counts }: BucketRow<Column>, sign: 1 | -1): void {
    const place = `${bucket} ${key}`
    const known = sums.get(place)?.counts
    // Holds: it has the members of `counts`.
    const names = Object.keys(counts) as Column[]
    // Holds: each of them gets a number.
    const added = Object.fromEntries(names.map((name) => [name, (known?.[name] ?? 0) + sign * counts[name]])) as Record<Column, number>
    sums.set(place, { bucket, key, counts: added })
  }
  for (const row of rows) add(row, 1)
  for (const row of edges) {
    add({ ...row, bucket: row.bucket - 1 }, -1)
    add(row, 1)
  }
  return [...sums.values()].filter(({ counts }) => Object.values(counts).some((count) => count !== 0))
}
