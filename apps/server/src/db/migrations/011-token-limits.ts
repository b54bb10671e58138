import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Limits of a token, 0 = none; then numbers of the current day and month, and what the token had spent in total when they began. */
const columns = [
  'requests_per_minute',
  'tokens_per_minute',
  'requests_at_once',
  'quota_per_day',
  'quota_per_month',
  'day_number',
  'day_base',
  'month_number',
  'month_base',
] as const

async function addTokenLimits(db: Kysely<unknown>): Promise<void> {
  // One by one, because SQLite adds one column in a statement.
  for (const name of columns)
    await db.schema
      .alterTable('tokens')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
}

export const tokenLimits: Migration = { up: addTokenLimits }
