import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../../db/schema.ts'

/** Filters for both log rows and hourly sums. Empty, 0 and null = no filter. */
export interface UsageFilters {
  readonly userId: number | null
  readonly username: string
  readonly token_name: string
  readonly model_name: string
  readonly channel: number
}

/** Seconds since the epoch; the end is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
  /** Whether it ends now, so that there is no usage after its end. */
  readonly endsNow?: boolean
}

const filterColumns = ['user_id', 'username', 'token_name', 'channel_id', 'model_name'] as const
export type FilterColumn = (typeof filterColumns)[number]
type SetFilters = readonly (readonly [FilterColumn, string | number])[]

/** The filters that are set. */
export function columnFilters({ userId, username, token_name, model_name, channel }: UsageFilters): SetFilters {
  const values = { user_id: userId, username, token_name, channel_id: channel === 0 ? null : channel, model_name } as const
  return filterColumns.flatMap((column) => {
    const value = values[column]
    return value === null || value === '' ? [] : [[column, value] as const]
  })
}

/**
 * Whether a row matches. Each column has an index of its own, and SQLite does not know which one is the most selective. So all but one
 * condition are written as expressions that no index serves: all but `lead`, or else the first that is set. `each`: every condition may be searched,
 * because the database knows the numbers of rows, and no row order is requested that could mislead it.
 */
export function matchesUsage<Table extends 'logs' | 'usage_hours'>(
  build: ExpressionBuilder<Pick<Schema, 'logs' | 'usage_hours'>, Table>,
  filters: UsageFilters,
  lead?: FilterColumn | 'each',
): Expression<SqlBool> {
  const columns = columnFilters(filters)
  const searched = lead === 'each' ? undefined : (lead ?? columns[0]?.[0])
  const searchedFirst = [...columns.filter(([column]) => column === searched), ...columns.filter(([column]) => column !== searched)]
  return build.and(
    searchedFirst.map(([column, value]) =>
      column === searched || lead === 'each'
        ? sql<SqlBool>`${sql.ref(column)} = ${value}`
        : sql<SqlBool>`COALESCE(${sql.ref(column)}, ${sql.ref(column)}) = ${value}`,
    ),
  )
}
