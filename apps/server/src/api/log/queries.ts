import { logType, pageSize } from '@sluice/contract'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import type { Schema } from '../../db/schema.ts'
import { searchMax } from '../../lib/like.ts'

/** What rows of the log and hours of usage are both told apart by. Empty, 0 and null = no filter. */
export interface UsageFilters {
  readonly userId: number | null
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly channel: number
}

export interface LogFilters extends UsageFilters {
  readonly type: number
  readonly start_timestamp: number
  readonly end_timestamp: number
}

/** Seconds since the epoch; the end is not in it. */
export interface Span {
  readonly from: number
  readonly to: number
}

export function matchesUsage<Table extends 'logs' | 'usage_hours'>(
  build: ExpressionBuilder<Pick<Schema, 'logs' | 'usage_hours'>, Table>,
  { userId, username, token_name, model_name, channel }: UsageFilters,
): Expression<SqlBool> {
  const wanted = [
    ['user_id', userId],
    ['username', username === '' ? null : username],
    ['token_name', token_name === '' ? null : token_name],
    ['model_name', model_name === '' ? null : model_name],
    ['channel_id', channel === 0 ? null : channel],
  ] as const
  return build.and(wanted.flatMap(([column, value]) => (value === null ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`])))
}

export async function listLogs(db: Db, { type, start_timestamp, end_timestamp, ...usage }: LogFilters, p: number) {
  let query = db
    .selectFrom('logs')
    .selectAll()
    .where((build) => matchesUsage(build, usage))
  if (type !== logType.all) query = query.where('type', '=', type)
  if (start_timestamp > 0) query = query.where('created_at', '>=', start_timestamp)
  if (end_timestamp > 0) query = query.where('created_at', '<=', end_timestamp)
  // Of everybody's rows a span of time is read in the order of its index; in the order of ids all of it would have to be sorted.
  if (usage.userId === null && (start_timestamp > 0 || end_timestamp > 0)) query = query.orderBy('created_at', 'desc')
  return await query
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset(p * pageSize)
    .execute()
}

/** Rows that a search looks through: the newest. */
const searchedMax = 20_000

/** By the number of a type, or a part of the text. Of one user, or of all where `userId` is null. */
export async function searchLogs(db: Db, userId: number | null, keyword: string) {
  const type = /^\d{1,4}$/.test(keyword) ? Number(keyword) : null
  let newest = db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(searchedMax)
  if (userId !== null) newest = newest.where('user_id', '=', userId)
  return await db
    .selectFrom(newest.as('newest'))
    .selectAll()
    .where((build) => build.or([...(type === null ? [] : [build('type', '=', type)]), containsText('content', keyword)]))
    .orderBy('id', 'desc')
    .limit(searchMax)
    .execute()
}

export interface Sums {
  readonly requests: number
  readonly quota: number
  readonly prompt: number
  readonly completion: number
}

/** Sums over consumption in a short span; other types of rows spend nothing. */
export async function sumLogs(db: Db, { userId, ...filters }: UsageFilters, { from, to }: Span): Promise<Sums> {
  // The sign keeps SQLite from the index of the user, by which it would read all that the user ever did.
  const isOwn = sql<SqlBool>`+user_id = ${userId}`
  return toSums(
    await db
      .selectFrom('logs')
      .select(({ fn }) => [
        fn.countAll<number>().as('requests'),
        fn.sum<number | null>('quota').as('quota'),
        fn.sum<number | null>('prompt_tokens').as('prompt'),
        fn.sum<number | null>('completion_tokens').as('completion'),
      ])
      .where('type', '=', logType.consume)
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .where((build) => matchesUsage(build, { ...filters, userId: null }))
      .$if(userId !== null, (query) => query.where(isOwn))
      .executeTakeFirstOrThrow(),
  )
}

/** The same over whole hours, of any length. */
export async function sumHours(db: Db, filters: UsageFilters, { from, to }: Span): Promise<Sums> {
  return toSums(
    await db
      .selectFrom('usage_hours')
      .select(({ fn }) => [
        fn.sum<number | null>('requests').as('requests'),
        fn.sum<number | null>('quota').as('quota'),
        fn.sum<number | null>('prompt_tokens').as('prompt'),
        fn.sum<number | null>('completion_tokens').as('completion'),
      ])
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .where((build) => matchesUsage(build, filters))
      .executeTakeFirstOrThrow(),
  )
}

export interface DayOfUsage {
  /** When it begins, in UTC. */
  readonly day: number
  readonly model_name: string
  readonly requests: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

export async function listDays(db: Db, userId: number, since: number): Promise<readonly DayOfUsage[]> {
  const rows = await db
    .selectFrom('usage_hours')
    .select(({ fn }) => [
      sql<number>`hour - hour % 86400`.as('day'),
      'model_name',
      fn.sum('requests').as('requests'),
      fn.sum('quota').as('quota'),
      fn.sum('prompt_tokens').as('prompt'),
      fn.sum('completion_tokens').as('completion'),
    ])
    .where('user_id', '=', userId)
    .where('hour', '>=', since)
    .groupBy(['day', 'model_name'])
    .orderBy('day')
    .orderBy('model_name')
    .execute()
  return rows.map(({ day, model_name, ...row }) => {
    const { requests, quota, prompt, completion } = toSums(row)
    return { day: Number(day), model_name, requests, quota, prompt_tokens: prompt, completion_tokens: completion }
  })
}

/** A sum over nothing is null, and some engines give large ones as text. */
function toSums(row: { readonly [Name in keyof Sums]: number | string | bigint | null }): Sums {
  return {
    requests: Number(row.requests ?? 0),
    quota: Number(row.quota ?? 0),
    prompt: Number(row.prompt ?? 0),
    completion: Number(row.completion ?? 0),
  }
}
