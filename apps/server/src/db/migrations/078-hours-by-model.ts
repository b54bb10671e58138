import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Finds the hours of one model on PostgreSQL, for the ranking of accounts by a model: without it, a month of 100,000 accounts reads every page of its hours. SQLite
 * stores the hours in the order of their key, and reads them in that order at the same speed.
 */
async function indexModels(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await db.schema.createIndex('usage_hours_model').ifNotExists().on('usage_hours').columns(['model_name', 'hour']).execute()
}

export const hoursByModel: Migration = { up: indexModels }
