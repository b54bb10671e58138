import type { AdminSeriesPoint, SeriesLineCount, seriesGroups } from '@sluice/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { type ChartColumn, chartColumns } from '../../db/usage-columns.ts'
import { accountSpans } from './account-spans.ts'
import { type BucketQuery, bucketOf, isWanted, startOf } from './buckets.ts'
import { sumEdges } from './day-edge-queries.ts'
import { dayEdges, withEdges } from './day-edges.ts'
import { matchesUsage, type UsageFilters } from './usage-rows.ts'
import { isOfAllAccounts, type UsageQuery, usageRows } from './usage-source.ts'

export interface SeriesQuery extends BucketQuery {
  readonly filters: UsageFilters
  readonly group: (typeof seriesGroups)[number]
  /** Most lines; all others are added up into one more. */
  readonly lines: SeriesLineCount
}

interface Line {
  readonly id: RawBuilder<number>
  readonly name: RawBuilder<string>
}

const noId = sql<number>`0`
const noName = sql<string>`''`
const userId = sql<number>`user_id`

/** The key of a chart line for each group. Tokens of two users with the same name are two lines. */
const lines: Readonly<Record<SeriesQuery['group'], Line>> = {
  '': { id: noId, name: noName },
  model: { id: noId, name: sql<string>`model_name` },
  token: { id: userId, name: sql<string>`token_name` },
  channel: { id: sql<number>`channel_id`, name: noName },
  user: { id: userId, name: noName },
}

interface LineKey {
  readonly id: number
  readonly name: string
}

/** The lines that cost most. */
async function listLines(db: Db, query: SeriesQuery): Promise<readonly LineKey[]> {
  const { id, name } = lines[query.group]
  const isOfSpans = isOfAllAccounts(query)
  const costs = isOfSpans ? db.selectFrom(accountSpans(db, query).as('usage')) : db.selectFrom(usageRows(db, query))
  const rows = await costs
    .select(({ fn }) => [id.as('line_id'), name.as('line_name'), fn.sum('quota').as('cost'), fn.sum('requests').as('calls')])
    .groupBy(['line_id', 'line_name'])
    // Spans hold accounts that sent nothing in this time.
    .$if(isOfSpans, (built) => built.having(({ fn }) => fn.sum('requests'), '>', 0))
    .orderBy('cost', 'desc')
    .orderBy('calls', 'desc')
    .limit(query.lines)
    .execute()
  return rows.map((row) => ({ id: Number(row.line_id), name: row.line_name }))
}

type Point = Omit<AdminSeriesPoint, 'is_other'>

/** The buckets of some lines, or of all together if `keys` is null. */
async function listPoints(db: Db, query: SeriesQuery, keys: readonly LineKey[] | null): Promise<readonly Point[]> {
  const { id, name } = keys === null ? lines[''] : lines[query.group]
  const bucket = bucketOf(query.days)
  const rows = await db
    .selectFrom(usageRows(db, keys === null ? { ...query, group: '' } : withUsers(query, keys)))
    .$if(keys !== null, (built) => built.where(isOneOf(query.group, keys ?? [])))
    .select(({ fn }) => [
      bucket.as('bucket'),
      id.as('line_id'),
      name.as('line_name'),
      ...chartColumns.map((column) => fn.sum<number | string>(column).as(column)),
    ])
    .groupBy(['bucket', 'line_id', 'line_name'])
    .execute()
  const edges = await sumEdges(db, {
    edges: dayEdges(query.days, query.span),
    columns: chartColumns,
    matches: (build) => build.and([matchesUsage(build, query.filters), ...(keys === null ? [] : [isOneOf(query.group, keys)])]),
    id,
    name,
  })
  const counted = rows.map((row) =>
    keyed({ bucket: Number(row.bucket), id: Number(row.line_id), name: row.line_name, counts: countsOf(row) }),
  )
  return withEdges(counted, edges.map(keyed))
    .filter(({ bucket }) => isWanted(query, bucket))
    .map(({ bucket, key, counts }) => ({ time: startOf(query.days, bucket), ...lineOf(key), ...numbersOf(counts) }))
}

interface CountedLine extends LineKey {
  readonly bucket: number
  readonly counts: Readonly<Record<ChartColumn, number>>
}

/** A line is known by its id and its name. */
const keyed = ({ bucket, id, name, counts }: CountedLine) => ({ bucket, key: `${id} ${name}`, counts })

function lineOf(key: string): LineKey {
  const space = key.indexOf(' ')
  return { id: Number(key.slice(0, space)), name: key.slice(space + 1) }
}

/** Databases return large sums as text. */
function countsOf(row: Readonly<Record<ChartColumn, number | string>>): Readonly<Record<ChartColumn, number>> {
  // Holds: each column gets its number.
  return Object.fromEntries(chartColumns.map((column) => [column, Number(row[column])])) as Record<ChartColumn, number>
}

const withUsers = (query: SeriesQuery, keys: readonly LineKey[]): UsageQuery =>
  query.group === 'user' ? { ...query, users: keys.map(({ id }) => id) } : query

/** Whether a row belongs to one of some lines. */
function isOneOf(group: SeriesQuery['group'], keys: readonly LineKey[]): RawBuilder<boolean> {
  const { id, name } = lines[group]
  const ids = sql`${id} IN (${sql.join(keys.map((key) => key.id))})`
  const names = sql`${name} IN (${sql.join(keys.map((key) => key.name))})`
  if (group === 'model') return sql`${names}`
  if (group !== 'token') return sql`${ids}`
  const both = sql.join(keys.map((key) => sql`(CAST(${key.id} AS BIGINT), CAST(${key.name} AS TEXT))`))
  // The ids are compared separately too, so that an index which begins with them is used.
  return sql`${ids} AND (${id}, ${name}) IN (VALUES ${both})`
}

function numbersOf({ elapsed_ms: elapsed, ...counts }: Readonly<Record<ChartColumn, number>>): Omit<Point, 'time' | 'id' | 'name'> {
  return { ...counts, elapsed_time: elapsed }
}

/** Usage over time: the lines that cost most, and one more line for the rest of each bucket. */
export async function listSeries(db: Db, query: SeriesQuery): Promise<readonly AdminSeriesPoint[]> {
  const keys = await listLines(db, query)
  if (keys.length === 0) return []
  const points = await nameLines(db, query.group, await listPoints(db, query, keys))
  const others = keys.length < query.lines ? [] : restOf(await listPoints(db, query, null), points)
  return [...points.map((point) => ({ ...point, is_other: false })), ...others].sort(
    (a, b) => a.time - b.time || Number(a.is_other) - Number(b.is_other) || b.quota - a.quota,
  )
}

function restOf(totals: readonly Point[], points: readonly Point[]): readonly AdminSeriesPoint[] {
  const byTime = Map.groupBy(points, ({ time }) => time)
  return totals.flatMap((total) => {
    const lines = byTime.get(total.time) ?? []
    const rest = (column: Exclude<keyof Point, 'name'>): number => lines.reduce((left, line) => left - line[column], total[column])
    const point = {
      ...{ time: total.time, id: 0, name: '', is_other: true },
      requests: rest('requests'),
      failures: rest('failures'),
      quota: rest('quota'),
      prompt_tokens: rest('prompt_tokens'),
      completion_tokens: rest('completion_tokens'),
      elapsed_time: rest('elapsed_time'),
      cost: rest('cost'),
      costed_quota: rest('costed_quota'),
    }
    return point.requests === 0 ? [] : [point]
  })
}

/** Adds the present names of users and channels. */
async function nameLines(db: Db, group: SeriesQuery['group'], points: readonly Point[]): Promise<readonly Point[]> {
  const ids = [...new Set(points.map(({ id }) => id))]
  if (group !== 'user' && group !== 'channel') return points
  const rows =
    group === 'user'
      ? await db.selectFrom('users').select(['id', 'username as name']).where('id', 'in', ids).execute()
      : await db.selectFrom('channels').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return points.map((point) => ({ ...point, name: names.get(point.id) ?? '' }))
}
