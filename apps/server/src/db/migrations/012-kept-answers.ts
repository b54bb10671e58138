import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** For each response that a vendor stores, its channel and its account. */
async function createStoredResponses(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('kept_answers')
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('token_id', 'bigint', (column) => column.notNull())
    .addColumn('channel_id', 'bigint', (column) => column.notNull())
    .addColumn('key_lookup', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('kept_answers_key', ['user_id', 'id'])
    .execute()
  await db.schema.createIndex('kept_answers_created').on('kept_answers').columns(['created_at']).execute()
}

export const keptResponses: Migration = { up: createStoredResponses }
