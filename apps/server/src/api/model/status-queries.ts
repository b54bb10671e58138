import { channelStatus } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { firstByteColumns } from '../../db/usage-columns.ts'

/** Seconds since the epoch, in whole hours; the end is exclusive. */
interface Span {
  readonly from: number
  readonly to: number
}

/** How many requests of a model were served in an hour or a day, and how many failed because of the server or a vendor. */
export interface Served {
  readonly name: string
  /** When the hour or day begins, in seconds since the epoch. */
  readonly time: number
  readonly served: number
  readonly unserved: number
}

const sumsOfModels = (db: Db, { from, to }: Span) =>
  db.selectFrom('usage_sums').where('scope', '=', sql.lit('model')).where('hour', '>=', from).where('hour', '<', to)

/** By model. Slots of which nothing is known are left out. @param seconds of a slot: whole hours */
export async function listServed(db: Db, span: Span, seconds: number): Promise<readonly Served[]> {
  const rows = await sumsOfModels(db, span)
    .select(({ fn }) => [
      'name',
      sql<number | string>`hour - hour % ${sql.lit(seconds)}`.as('time'),
      fn.sum<number | string>('served').as('served'),
      fn.sum<number | string>('unserved').as('unserved'),
    ])
    .groupBy(['name', 'time'])
    .having(({ fn }) => sql<boolean>`${fn.sum('served')} + ${fn.sum('unserved')} > 0`)
    .execute()
  return rows.map(({ name, time, served, unserved }) => ({
    name,
    time: Number(time),
    served: Number(served),
    unserved: Number(unserved),
  }))
}

/** Output tokens of each model that was called, and the milliseconds that its responses took. */
export async function listServedCounts(
  db: Db,
  span: Span,
): Promise<ReadonlyArray<{ readonly name: string; readonly completionTokens: number; readonly elapsedMs: number }>> {
  const rows = await sumsOfModels(db, span)
    .select(({ fn }) => [
      'name',
      fn.sum<number | string>('completion_tokens').as('completion_tokens'),
      fn.sum<number | string>('elapsed_ms').as('elapsed_ms'),
    ])
    .groupBy('name')
    .execute()
  return rows.map((row) => ({ name: row.name, completionTokens: Number(row.completion_tokens), elapsedMs: Number(row.elapsed_ms) }))
}

/** Responses of each of these models by time to first byte, in the bands of `timeBandEnds`. */
export async function listFirstBytes(
  db: Db,
  { from, to }: Span,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_times')
    .where('scope', '=', sql.lit('model'))
    .where('name', 'in', names)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .select(({ fn }) => ['name', ...firstByteColumns.map((column) => fn.sum<number | string>(column).as(column))])
    .groupBy('name')
    .execute()
  return new Map(rows.map((row) => [row.name, firstByteColumns.map((column) => Number(row[column]))]))
}

/** The models and groups of channels that the program has disabled, each as a list with commas. */
export async function listDisabledModels(db: Db): Promise<ReadonlyArray<{ readonly models: string; readonly groups: string }>> {
  return await db.selectFrom('channels').where('status', '=', channelStatus.autoDisabled).select(['models', 'groups']).execute()
}

/** Tests of channels since a time. Of each channel only the last ones are stored. */
export async function listTests(
  db: Db,
  since: number,
): Promise<ReadonlyArray<{ readonly name: string; readonly time: number; readonly passed: boolean }>> {
  const rows = await db
    .selectFrom('channel_tests')
    .select(['model', 'created_time', 'passed'])
    .where('created_time', '>=', since)
    .orderBy('id')
    .execute()
  return rows.map(({ model, created_time, passed }) => ({ name: model, time: created_time, passed: passed === 1 }))
}
