import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Each filter of the log has an index in the order in which the log is shown: newest first, so that a page is read and nothing is sorted. */
const filters = ['user_id', 'username', 'token_name', 'model_name', 'channel_id'] as const

/** SQLite ends every index with the row id by itself. */
const lastColumns = (db: Kysely<unknown>): string[] =>
  db.getExecutor().adapter instanceof PostgresAdapter ? ['created_at', 'id'] : ['created_at']

async function createLogIndexes(db: Kysely<unknown>): Promise<void> {
  const last = lastColumns(db)
  for (const column of filters)
    await db.schema
      .createIndex(`logs_${column}_time`)
      .on('logs')
      .columns([column, ...last])
      .execute()
  await db.schema.createIndex('logs_time').on('logs').columns(last).execute()
  // Nearly every row is consumption (2), which is found by time alone; the other types together are few.
  await db.schema
    .createIndex('logs_type_time')
    .on('logs')
    .columns(['type', ...last])
    .where('type', '<>', 2)
    .execute()
  await db.schema.dropIndex('logs_user').execute()
  await db.schema.dropIndex('logs_created').execute()
}

export const logIndexes: Migration = { up: createLogIndexes }
