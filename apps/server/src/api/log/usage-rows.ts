import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { Schema } from '../../db/schema.ts'

/** What rows of the log and hours of usage are both told apart by. Empty, 0 and null = no filter. */
export interface UsageFilters {
  readonly userId: number | null
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly channel: number
}

/** Seconds since the epoch; the end is not in it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** What the tables of usage add up. */
export const usageCounts = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'] as const
export type UsageCounts = Readonly<Record<(typeof usageCounts)[number], number>>

/** What `usage_sums` has sums for. */
export type UsageScope = 'all' | 'model' | 'channel' | 'token'

const filterColumns = ['user_id', 'username', 'token_name', 'channel_id', 'model_name'] as const
type FilterColumn = (typeof filterColumns)[number]
type Wanted = readonly (readonly [FilterColumn, string | number])[]

/** The filters that are set. */
function wantedColumns({ userId, username, token_name, model_name, channel }: UsageFilters): Wanted {
  const values = { user_id: userId, username, token_name, channel_id: channel === 0 ? null : channel, model_name } as const
  return filterColumns.flatMap((column) => {
    const value = values[column]
    return value === null || value === '' ? [] : [[column, value] as const]
  })
}

/**
 * Whether a row matches. Each column has an index of its own and SQLite does not know which of them leaves the fewest rows, so all but one
 * are written as expressions, which no index serves: all but `lead`, or else the first that is set.
 */
export function matchesUsage<Table extends 'logs' | 'usage_hours'>(
  build: ExpressionBuilder<Pick<Schema, 'logs' | 'usage_hours'>, Table>,
  filters: UsageFilters,
  lead?: FilterColumn,
): Expression<SqlBool> {
  const wanted = wantedColumns(filters)
  const searched = lead ?? wanted[0]?.[0]
  const searchedFirst = [...wanted.filter(([column]) => column === searched), ...wanted.filter(([column]) => column !== searched)]
  return build.and(
    searchedFirst.map(([column, value]) =>
      column === searched
        ? sql<SqlBool>`${sql.ref(column)} = ${value}`
        : sql<SqlBool>`COALESCE(${sql.ref(column)}, ${sql.ref(column)}) = ${value}`,
    ),
  )
}

const scopeOf = { token_name: 'token', channel_id: 'channel', model_name: 'model' } as const

/** The filter that leaves the fewest rows. An account always does; of the others the sums tell how many requests each has had. */
export async function leadOf(db: Db, filters: UsageFilters): Promise<FilterColumn | undefined> {
  const wanted = wantedColumns(filters)
  const [first] = wanted
  if (first === undefined || wanted.length === 1 || first[0] === 'user_id' || first[0] === 'username') return first?.[0]
  const counted = await Promise.all(
    wanted.map(async ([column, value]) => {
      // Holds: the columns of accounts come first, and then this was answered above.
      const scope = scopeOf[column as keyof typeof scopeOf]
      return { column, requests: await countRequests(db, { scope, name: String(value) }) }
    }),
  )
  return counted.sort((a, b) => a.requests - b.requests)[0]?.column
}

async function countRequests(db: Db, { scope, name }: { readonly scope: UsageScope; readonly name: string }): Promise<number> {
  const row = await db
    .selectFrom('usage_sums')
    .select(({ fn }) => fn.sum<number | null>('requests').as('requests'))
    .where('scope', '=', sql.lit(scope))
    .where('name', '=', name)
    .executeTakeFirst()
  return Number(row?.requests ?? 0)
}

interface UsageQuery {
  readonly filters: UsageFilters
  /** What else rows are told apart by: what the lines of a chart are. */
  readonly group: '' | 'model' | 'token' | 'channel' | 'user'
  /** Whole hours. */
  readonly span: Span
}

interface Sums {
  readonly scope: UsageScope
  /** Only this one of the scope; `null` = each of them. */
  readonly name: string | null
}

/** The sums over all accounts that answer a query; `null`: only the hours of accounts do. */
function sumsFor({ filters, group }: Pick<UsageQuery, 'filters' | 'group'>): Sums | null {
  const wanted = wantedColumns(filters)
  const [only] = wanted
  if (wanted.length > 1) return null
  if (only === undefined) return group === '' ? { scope: 'all', name: null } : scopeOfGroup(group)
  const [column, value] = only
  const name = String(value)
  if (column === 'model_name' && (group === '' || group === 'model')) return { scope: 'model', name }
  if (column === 'channel_id' && (group === '' || group === 'channel')) return { scope: 'channel', name }
  return column === 'token_name' && group === '' ? { scope: 'token', name } : null
}

/** Lines of tokens are told apart by their owners too, so that they are no sums over all accounts. */
function scopeOfGroup(group: UsageQuery['group']): Sums | null {
  return group === 'model' || group === 'channel' ? { scope: group, name: null } : null
}

/** Usage in whole hours that matches, as a table of the name `usage`, from the table with the fewest rows that tells it. */
export function usageRows(db: Db, { filters, group, span }: UsageQuery) {
  const sums = sumsFor({ filters, group })
  return sums === null ? hoursOf(db, filters, span).as('usage') : sumsOf(db, sums, span).as('usage')
}

function hoursOf(db: Db, filters: UsageFilters, { from, to }: Span) {
  return db
    .selectFrom('usage_hours')
    .select(['hour', 'user_id', 'token_name', 'model_name', 'channel_id', ...usageCounts])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .where((build) => matchesUsage(build, filters))
}

function sumsOf(db: Db, { scope, name }: Sums, { from, to }: Span) {
  return (
    db
      .selectFrom('usage_sums')
      .select([
        'hour',
        sql<number>`0`.as('user_id'),
        'name as token_name',
        'name as model_name',
        (scope === 'channel' ? sql<number>`CAST(name AS BIGINT)` : sql<number>`0`).as('channel_id'),
        ...usageCounts,
      ])
      // Written out, because the index of tokens holds for their scope only.
      .where('scope', '=', sql.lit(scope))
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .$if(name !== null, (query) => query.where('name', '=', name ?? ''))
  )
}
