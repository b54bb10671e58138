import { brokenEnds, type LogTimes } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { elapsedColumns, endColumns, firstByteColumns } from '../../db/usage-columns.ts'
import { type BucketQuery, bucketOf, startOf } from './buckets.ts'

export interface TimesQuery extends BucketQuery {
  readonly scope: 'all' | 'model' | 'channel' | 'user'
  /** Empty for `all`; of a channel or an account, its id. */
  readonly name: string
}

/** Failed requests by error code, by bucket. */
async function listErrors(db: Db, { scope, name, span, days }: TimesQuery): Promise<ReadonlyMap<number, LogTimes['errors']>> {
  const rows = await db
    .selectFrom('usage_errors')
    .where('scope', '=', scope)
    .where('name', '=', name)
    .where('hour', '>=', span.from)
    .where('hour', '<', span.to)
    .select(({ fn }) => [bucketOf(days).as('bucket'), 'code', fn.sum<number | string>('requests').as('requests')])
    .groupBy(['bucket', 'code'])
    .execute()
  const buckets = Map.groupBy(rows, ({ bucket }) => Number(bucket))
  return new Map([...buckets].map(([bucket, found]) => [bucket, Object.fromEntries(found.map((row) => [row.code, Number(row.requests)]))]))
}

/** Durations and ends of requests, by bucket. */
export async function listTimes(db: Db, query: TimesQuery): Promise<readonly LogTimes[]> {
  const { scope, name, span, days } = query
  const errors = await listErrors(db, query)
  const rows = await db
    .selectFrom('usage_times')
    .where('scope', '=', scope)
    .where('name', '=', name)
    .where('hour', '>=', span.from)
    .where('hour', '<', span.to)
    .select(({ fn }) => [
      bucketOf(days).as('bucket'),
      ...[...elapsedColumns, ...firstByteColumns, ...endColumns].map((column) => fn.sum<number | string>(column).as(column)),
    ])
    .groupBy('bucket')
    .orderBy('bucket')
    .execute()
  return rows.map((row) => ({
    time: startOf(days, Number(row.bucket)),
    elapsed: elapsedColumns.map((column) => Number(row[column])),
    first_byte: firstByteColumns.map((column) => Number(row[column])),
    // Holds: it has a member for each end.
    ends: Object.fromEntries(brokenEnds.map((end) => [end, Number(row[`ended_${end}`])])) as LogTimes['ends'],
    errors: errors.get(Number(row.bucket)) ?? {},
  }))
}
