import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const counts = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'] as const

async function createUsageHours(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema
    .createTable('usage_hours')
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('token_name', 'text', (column) => column.notNull())
    .addColumn('model_name', 'text', (column) => column.notNull())
    .addColumn('channel_id', 'bigint', (column) => column.notNull())
  for (const count of counts) table = table.addColumn(count, 'bigint', (column) => column.notNull())
  await table
    .addPrimaryKeyConstraint('usage_hours_key', ['hour', 'user_id', 'username', 'token_name', 'model_name', 'channel_id'])
    .$call((table) => (isPostgres ? table : table.modifyEnd(sql`without rowid`)))
    .execute()
  await db.schema.createIndex('usage_hours_user').on('usage_hours').columns(['user_id', 'hour']).execute()
}

async function createLogMarks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('log_marks')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'bigint', (column) => column.notNull())
    .execute()
}

/** Sums of the log by the hour, and the last row that they contain. */
export const usageHours: Migration = {
  async up(db) {
    await createUsageHours(db)
    await createLogMarks(db)
  },
}
