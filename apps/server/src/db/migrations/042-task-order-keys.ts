import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The names that clients give their orders, so that one that is sent again orders nothing more. */
async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('task_order_keys')
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('client_key', 'text', (column) => column.notNull())
    .addColumn('order_hash', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_order_keys_key', ['user_id', 'client_key'])
    .execute()
  await db.schema.createIndex('task_order_keys_by_time').on('task_order_keys').columns(['created_at']).execute()
}

export const taskOrderKeys: Migration = { up: createKeys }
