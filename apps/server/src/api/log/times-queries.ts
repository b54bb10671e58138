import { brokenEnds, type LogTimes } from '@sluice/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { elapsedColumns, endColumns, firstByteColumns, type TimeColumn } from '../../db/usage-columns.ts'
import { type BucketQuery, bucketOf, isWanted, startOf } from './buckets.ts'
import { sumEdges } from './day-edge-queries.ts'
import { type BucketRow, dayEdges, withEdges } from './day-edges.ts'
import { failedPrefix } from './usage-queries.ts'

export interface TimesQuery extends BucketQuery {
  readonly scope: 'all' | 'model' | 'channel' | 'user'
  /** Empty for `all`; of a channel or an account, its id. */
  readonly name: string
}

const columns = [...elapsedColumns, ...firstByteColumns, ...endColumns]

/** Rows of the log that a scope counts. */
function matchesScope({ scope, name }: TimesQuery): RawBuilder<boolean> {
  if (scope === 'all') return sql<boolean>`1 = 1`
  if (scope === 'model') return sql<boolean>`model_name = ${name}`
  return scope === 'channel' ? sql<boolean>`channel_id = ${Number(name)}` : sql<boolean>`user_id = ${Number(name)}`
}

const noId = sql<number>`0`
const noName = sql<string>`''`
/** The error code of a failed request in the log. */
const codeInLog = sql<string>`substr(content, ${sql.lit(failedPrefix.length + 1)})`

/** Failed requests by error code, by bucket. */
async function listErrors(db: Db, query: TimesQuery): Promise<ReadonlyMap<number, LogTimes['errors']>> {
  const { scope, name, span, days } = query
  const rows = await db
    .selectFrom('usage_errors')
    .where('scope', '=', scope)
    .where('name', '=', name)
    .where('hour', '>=', span.from)
    .where('hour', '<', span.to)
    .select(({ fn }) => [bucketOf(days).as('bucket'), 'code', fn.sum<number | string>('requests').as('requests')])
    .groupBy(['bucket', 'code'])
    .execute()
  const edges = await sumEdges(db, {
    ...{ edges: dayEdges(days, span), columns: ['requests'], id: noId, name: codeInLog },
    matches: (build) => build.and([matchesScope(query), sql<boolean>`end_reason = 'failed'`]),
  })
  const summed = withEdges(
    rows.map(({ bucket, code, requests }) => ({ bucket: Number(bucket), key: code, counts: { requests: Number(requests) } })),
    edges.map(({ bucket, name: code, counts }) => ({ bucket, key: code, counts })),
  )
  const buckets = Map.groupBy(summed, ({ bucket }) => bucket)
  return new Map([...buckets].map(([bucket, rows]) => [bucket, Object.fromEntries(rows.map((row) => [row.key, row.counts.requests]))]))
}

/** Durations and ends of requests, by bucket. */
async function listCounts(db: Db, query: TimesQuery): Promise<ReadonlyArray<BucketRow<TimeColumn>>> {
  const { scope, name, span, days } = query
  const rows = await db
    .selectFrom('usage_times')
    .where('scope', '=', scope)
    .where('name', '=', name)
    .where('hour', '>=', span.from)
    .where('hour', '<', span.to)
    .select(({ fn }) => [bucketOf(days).as('bucket'), ...columns.map((column) => fn.sum<number | string>(column).as(column))])
    .groupBy('bucket')
    .orderBy('bucket')
    .execute()
  const edges = await sumEdges(db, {
    ...{ edges: dayEdges(days, span), columns, id: noId, name: noName },
    matches: () => matchesScope(query),
  })
  return withEdges(
    rows.map((row) => {
      // Holds: each column gets its number.
      const counts = Object.fromEntries(columns.map((column) => [column, Number(row[column])])) as Record<TimeColumn, number>
      return { bucket: Number(row.bucket), key: '', counts }
    }),
    edges.map(({ bucket, counts }) => ({ bucket, key: '', counts })),
  )
}

export async function listTimes(db: Db, query: TimesQuery): Promise<readonly LogTimes[]> {
  const errors = await listErrors(db, query)
  const counted = await listCounts(db, query)
  return counted
    .filter(({ bucket }) => isWanted(query, bucket))
    .toSorted((one, other) => one.bucket - other.bucket)
    .map(({ bucket, counts }) => ({
      time: startOf(query.days, bucket),
      elapsed: elapsedColumns.map((column) => counts[column]),
      first_byte: firstByteColumns.map((column) => counts[column]),
      // Holds: it has a member for each end.
      ends: Object.fromEntries(brokenEnds.map((end) => [end, counts[`ended_${end}`]])) as LogTimes['ends'],
      errors: errors.get(bucket) ?? {},
    }))
}
