import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What each channel has served in small rows of its own: every request changes one, and a batch writes every page that it touches. */
async function moveChannelUsage(db: Kysely<unknown>): Promise<void> {
  // SQLite wants the word INTEGER for a row id, where PostgreSQL's ids are a bigint.
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
