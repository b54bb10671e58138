import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Usage of channels in a table of small rows: every request changes a row, and a batch writes every page that has a changed row. */
async function moveChannelUsage(db: Kysely<unknown>): Promise<void> {
  // A row id of SQLite must be declared INTEGER; PostgreSQL's is a bigint.
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('channel_usage')
    .addColumn('channel_id', isPostgres ? 'bigint' : 'integer', (column) => column.primaryKey())
    .addColumn('used_quota', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`INSERT INTO channel_usage (channel_id, used_quota) SELECT id, used_quota FROM channels ORDER BY id`.execute(db)
  await db.schema.alterTable('channels').dropColumn('used_quota').execute()
}

export const channelUsage: Migration = { up: moveChannelUsage }
