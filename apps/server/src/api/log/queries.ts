import { boundsOfBand, brokenEnds, type DurationBand, failedEnds, logType, messageText, type Outcome, tailRowsMax } from '@sluice/contract'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import { accountsOf, leadOf } from './filter-queries.ts'
import { columnFilters, matchesUsage, type Span, type UsageFilters } from './usage-rows.ts'
import { usageRows } from './usage-source.ts'

export interface LogFilters extends UsageFilters {
  readonly type: number
  /** Empty = of any request. */
  readonly request_id: string
  /** Empty = however it ended. */
  readonly outcome: Outcome
  /** Empty = whether it failed or not, and for whatever reason. */
  readonly error_code: string
  /** Empty = however long it took. */
  readonly duration: DurationBand | ''
  readonly start_timestamp: number
  readonly end_timestamp: number
}

/** Newest first, which is the order of every index of the log. */
const newestFirst = ['created_at', 'id'] as const

export async function listLogs(db: Db, filters: LogFilters, page: Page) {
  if (filters.request_id !== '') return await listLogsOfRequest(db, filters, page)
  if (isOfEnds(filters))
    return await onePage(brokenLogs(db, filters, await accountsOf(db, filters)), 'logs', { page, order: newestFirst }).execute()
  if (filters.duration !== '') return await onePage(timedLogs(db, filters), 'logs', { page, order: newestFirst }).execute()
  const { type, request_id: _, outcome: __, error_code: ___, duration: ____, start_timestamp, end_timestamp, ...usage } = filters
  const lead = await leadOf(db, usage)
  let query = db
    .selectFrom('logs')
    .selectAll()
    .where('created_at', '>=', start_timestamp)
    .where('created_at', '<=', end_timestamp > 0 ? end_timestamp : Number.MAX_SAFE_INTEGER)
    .where((build) => matchesUsage(build, usage, lead))
  if (type !== logType.all) query = query.where('type', '=', type)
  // Lets SQLite use the partial index of the rare types.
  if (type !== logType.all && type !== logType.consume) query = query.where('type', '<>', sql.lit(logType.consume))
  return await onePage(query, 'logs', { page, order: newestFirst }).execute()
}

/** Whether it is about requests by how they ended: those with an error code failed. */
export const isOfEnds = ({ outcome, error_code: code }: Pick<LogFilters, 'outcome' | 'error_code'>): boolean =>
  outcome !== '' || code !== ''

const endsOf = (outcome: Exclude<Outcome, ''>): readonly string[] =>
  outcome === 'broken' ? brokenEnds : outcome === 'failures' ? failedEnds : [outcome]

/**
 * The rows of requests that did not end well are few: one of their indexes finds them, by account, by a single end or by time, and no index serves
 * the other conditions.
 */
function brokenLogs(db: Db, filters: LogFilters, accounts: readonly number[] | null) {
  const { outcome, error_code: code, start_timestamp, end_timestamp } = filters
  const ends = code !== '' ? ['failed'] : outcome === '' ? [] : endsOf(outcome)
  const [only] = ends.length === 1 && accounts === null ? ends : []
  let query = db
    .selectFrom('logs')
    .selectAll()
    // As the indexes say it, so that databases use them.
    .where(sql<SqlBool>`end_reason NOT IN ('', 'complete')`)
    .where('created_at', '>=', start_timestamp)
    .where('created_at', '<=', end_timestamp > 0 ? end_timestamp : Number.MAX_SAFE_INTEGER)
    .where(matchesByNoIndex({ ...filters, userId: null, outcome: only === undefined || code !== '' ? outcome : '' }))
  if (accounts !== null) query = query.where(isOfAccounts(accounts))
  if (only !== undefined) query = query.where('end_reason', '=', only)
  return query
}

function isOfAccounts(accounts: readonly number[]) {
  if (accounts.length === 0) return sql<SqlBool>`1 = 0`
  return accounts.length === 1 ? sql<SqlBool>`user_id = ${accounts[0]}` : sql<SqlBool>`user_id IN (${sql.join(accounts)})`
}

/** Number of newest rows of a time in which requests of a duration are looked for: no index has durations. */
const timedMax = 100_000

function timedLogs(db: Db, filters: LogFilters) {
  const { userId, start_timestamp, end_timestamp } = filters
  let newest = db
    .selectFrom('logs')
    .selectAll()
    .where('created_at', '>=', start_timestamp)
    .where('created_at', '<=', end_timestamp > 0 ? end_timestamp : Number.MAX_SAFE_INTEGER)
  if (userId !== null) newest = newest.where('user_id', '=', userId)
  const rows = newest.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(timedMax)
  return db.selectFrom(rows.as('logs')).selectAll().where(matchesByNoIndex(filters))
}

/** The rows of one request are few, so its id alone finds them. */
async function listLogsOfRequest(db: Db, filters: LogFilters, page: Page) {
  const query = db.selectFrom('logs').selectAll().where('request_id', '=', filters.request_id).where(matchesByNoIndex(filters))
  return await onePage(query, 'logs', { page, order: newestFirst }).execute()
}

interface Written {
  /** Ids of rows, which are in the order in which these were written. */
  readonly after: number
  readonly upTo: number
}

/** The matching ones of the rows that were written between two. Of many, the last that were written; further back nobody watches. */
export async function listNewLogs(db: Db, filters: LogFilters, { after, upTo }: Written) {
  const written = db
    .selectFrom('logs')
    .selectAll()
    .where('id', '>', Math.max(after, upTo - watchedMax))
    .where('id', '<=', upTo)
  const matches = db.selectFrom(written.as('logs')).selectAll().where(matchesByNoIndex(filters))
  return await matches.orderBy('id', 'desc').limit(tailRowsMax).execute()
}

/** Last written rows that are looked at for a watched log. */
const watchedMax = 20_000

/** Whether a row matches, as conditions that no index serves: the rows are found by something else. */
function matchesByNoIndex({ type, request_id, outcome, error_code, duration, start_timestamp, end_timestamp, ...usage }: LogFilters) {
  const columnValues = [
    ...columnFilters(usage),
    ...(type === logType.all ? [] : ([['type', type]] as const)),
    ...(request_id === '' ? [] : ([['request_id', request_id]] as const)),
  ]
  const conditions = [
    sql`${plain('created_at')} >= ${start_timestamp}`,
    sql`${plain('created_at')} <= ${end_timestamp > 0 ? end_timestamp : Number.MAX_SAFE_INTEGER}`,
    ...columnValues.map(([column, value]) => sql`${plain(column)} = ${value}`),
    ...(outcome === '' ? [] : [sql`${plain('end_reason')} IN (${sql.join(endsOf(outcome))})`]),
    ...(error_code === '' ? [] : [sql`${plain('content')} = ${messageText('log_failed', { reason: error_code })}`]),
    ...(duration === '' ? [] : tookAsLong(duration)),
  ]
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

/** As the sums of durations count: requests only, and a first byte at 0 ms is none. */
function tookAsLong(band: DurationBand) {
  const { measure, above, upTo } = boundsOfBand(band)
  const column = plain(measure === 'elapsed' ? 'elapsed_ms' : 'first_byte_ms')
  const least = above ?? (measure === 'first_byte' ? 0 : -1)
  return [sql`${plain('type')} = ${logType.consume}`, sql`${column} > ${least}`, ...(upTo === undefined ? [] : [sql`${column} <= ${upTo}`])]
}

const plain = (column: string) => sql`COALESCE(${sql.ref(column)}, ${sql.ref(column)})`

/** One row; `userId` = only if it is in this user's log. */
export async function findLog(db: Db, id: number, userId: number | null) {
  let query = db.selectFrom('logs').selectAll().where('id', '=', id)
  if (userId !== null) query = query.where('user_id', '=', userId)
  return await query.executeTakeFirst()
}

/** Number of newest rows that a search reads. */
const searchedMax = 20_000

/** Searches by the number of a type, or a part of the text: in the log of one user, or of all if `userId` is null. */
export async function searchLogs(db: Db, userId: number | null, { keyword, ...page }: Page & { readonly keyword: string }) {
  const type = /^\d{1,4}$/.test(keyword) ? Number(keyword) : null
  let newest = db.selectFrom('logs').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(searchedMax)
  if (userId !== null) newest = newest.where('user_id', '=', userId)
  const matches = db
    .selectFrom(newest.as('logs'))
    .selectAll()
    .where((build) => build.or([...(type === null ? [] : [build('type', '=', type)]), containsText('content', keyword)]))
  return await onePage(matches, 'logs', { page, order: newestFirst }).execute()
}

export interface Sums {
  readonly requests: number
  readonly quota: number
  readonly prompt: number
  readonly completion: number
}

/** Sums over consumption in a short span; other types of rows spend nothing. */
export async function sumLogs(db: Db, filters: UsageFilters, { from, to }: Span): Promise<Sums> {
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
      .where((build) => matchesUsage(build, filters))
      .executeTakeFirstOrThrow(),
  )
}

/** Sums of a span of whole hours, read from the tables of usage instead of the log. */
export async function sumHours(db: Db, filters: UsageFilters, span: Span): Promise<Sums> {
  return toSums(
    await db
      .selectFrom(usageRows(db, { filters, group: '', span }))
      .select(({ fn }) => [
        fn.sum<number | null>('requests').as('requests'),
        fn.sum<number | null>('quota').as('quota'),
        fn.sum<number | null>('prompt_tokens').as('prompt'),
        fn.sum<number | null>('completion_tokens').as('completion'),
      ])
      .executeTakeFirstOrThrow(),
  )
}

/** Sums over the requests that ended in some way or took so long, of which the sums by the hour know nothing. */
export async function sumMatches(db: Db, filters: LogFilters): Promise<Sums> {
  const query = { ...filters, type: logType.consume }
  const rows = isOfEnds(filters) ? brokenLogs(db, query, await accountsOf(db, query)) : timedLogs(db, query)
  return toSums(
    await db
      .selectFrom(rows.as('found'))
      .select(({ fn }) => [
        fn.countAll<number>().as('requests'),
        fn.sum<number | null>('quota').as('quota'),
        fn.sum<number | null>('prompt_tokens').as('prompt'),
        fn.sum<number | null>('completion_tokens').as('completion'),
      ])
      .executeTakeFirstOrThrow(),
  )
}

export interface DayOfUsage {
  /** Start of the day in UTC. */
  readonly day: number
  readonly model_name: string
  readonly requests: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

export async function listDays(db: Db, userId: number, since: number): Promise<readonly DayOfUsage[]> {
  const rows = await db
    .selectFrom('usage_pairs')
    .select(({ fn }) => [
      sql<number>`hour - hour % 86400`.as('day'),
      'other as model_name',
      fn.sum('requests').as('requests'),
      fn.sum('quota').as('quota'),
      fn.sum('prompt_tokens').as('prompt'),
      fn.sum('completion_tokens').as('completion'),
    ])
    .where('scope', '=', sql.lit('user-model'))
    .where('one', '=', String(userId))
    .where('hour', '>=', since)
    .groupBy(['day', 'other'])
    .orderBy('day')
    .orderBy('other')
    .execute()
  return rows.map(({ day, model_name, ...row }) => {
    const { requests, quota, prompt, completion } = toSums(row)
    return { day: Number(day), model_name, requests, quota, prompt_tokens: prompt, completion_tokens: completion }
  })
}

/** Converts sums: over no rows they are null, and some databases return large ones as text. */
function toSums(row: { readonly [Name in keyof Sums]: number | string | bigint | null }): Sums {
  return {
    requests: Number(row.requests ?? 0),
    quota: Number(row.quota ?? 0),
    prompt: Number(row.prompt ?? 0),
    completion: Number(row.completion ?? 0),
  }
}
