import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Each filter of the log gets an index in the order of the list, newest first, so that reading a page sorts nothing. */
const filters = ['user_id', 'username', 'token_name', 'model_name', 'channel_id'] as const

/** SQLite appends the row id to every index itself. */
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
  // Nearly all rows are consumption (2), for which the index by time is enough; rows of all other types are few.
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
