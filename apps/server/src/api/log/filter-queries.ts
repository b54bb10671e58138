import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { daySeconds } from '../../lib/day.ts'
import { columnFilters, type FilterColumn, type UsageFilters } from './usage-rows.ts'

const scopeOf = { token_name: 'token', channel_id: 'channel', model_name: 'model' } as const

/** The filter that leaves the fewest rows, by the number of requests in the sums. */
export async function leadOf(db: Db, filters: UsageFilters): Promise<FilterColumn | undefined> {
  const columns = columnFilters(filters)
  if (columns.length < 2) return columns[0]?.[0]
  const counted = await Promise.all(columns.map(async ([column, value]) => ({ column, requests: await countRequests(db, column, value) })))
  return counted.sort((a, b) => a.requests - b.requests)[0]?.column
}

/** Days before the newest request that are counted: enough for a guess, and as much work after years. */
const guessedDays = 7

async function countRequests(db: Db, column: FilterColumn, value: string | number): Promise<number> {
  const newest = sql`(SELECT MAX(hour) FROM usage_sums WHERE scope = 'all')`
  const { rows } = await sql<{ requests: number | null }>`SELECT SUM(requests) AS requests FROM ${requestsOf(column, value)}
    AND hour >= ${newest} - ${guessedDays * daySeconds}`.execute(db)
  return Number(rows[0]?.requests ?? 0)
}

/** Where the requests of a filter are counted. */
function requestsOf(column: FilterColumn, value: string | number) {
  if (column === 'user_id') return sql`usage_accounts WHERE user_id = ${value}`
  if (column === 'username') return sql`usage_accounts WHERE user_id IN (SELECT user_id FROM usage_names WHERE username = ${value})`
  return sql`usage_sums WHERE name = ${String(value)} AND COALESCE(scope, scope) = ${sql.lit(scopeOf[column])}`
}

/** Rows that are not added up yet and are looked at for a name. There are more for some minutes after an import. */
const waitingMax = 20_000

/**
 * The accounts that the filters leave; `null` = all, or it is not known. Those with rows of a name: in the sums, and among the rows that are
 * not added up yet.
 */
export async function accountsOf(db: Db, { userId, username }: UsageFilters): Promise<readonly number[] | null> {
  if (userId !== null) return [userId]
  if (username === '') return null
  const { rows } = await sql<{ user_id: number | null }>`WITH waiting AS MATERIALIZED (SELECT user_id, username FROM logs
      WHERE id > COALESCE((SELECT value FROM log_marks WHERE name = 'rolled-up'), 0) ORDER BY id LIMIT ${waitingMax + 1})
    SELECT user_id FROM usage_names WHERE username = ${username} UNION ALL SELECT user_id FROM waiting WHERE username = ${username}
    UNION ALL SELECT NULL WHERE (SELECT COUNT(*) FROM waiting) > ${waitingMax}`.execute(db)
  return rows.some(({ user_id: id }) => id === null) ? null : [...new Set(rows.map(({ user_id: id }) => Number(id)))]
}

/**
 * Replaces a username filter by the account's id, if only one account ever had that name, and only that name: then the sums by account
 * give the same result.
 */
export async function byAccount<Filters extends UsageFilters>(db: Db, filters: Filters): Promise<Filters> {
  if (filters.username === '' || filters.userId !== null) return filters
  const { rows } = await sql<{ user_id: number; names: number }>`SELECT user_id,
    (SELECT COUNT(*) FROM usage_names AS others WHERE others.user_id = usage_names.user_id) AS names
    FROM usage_names WHERE username = ${filters.username}`.execute(db)
  const [only] = rows
  return rows.length === 1 && Number(only?.names) === 1 ? { ...filters, username: '', userId: Number(only?.user_id) } : filters
}
