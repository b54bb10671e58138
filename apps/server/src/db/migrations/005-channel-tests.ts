import { PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The last tests of each channel. */
export const channelTests: Migration = {
  async up(db) {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
    await db.schema
      .createTable('channel_tests')
      .addColumn('id', isPostgres ? sql`bigserial` : sql`integer`, (column) => column.primaryKey())
      .addColumn('channel_id', 'bigint', (column) => column.notNull())
      .addColumn('created_time', 'bigint', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('passed', 'integer', (column) => column.notNull())
      .addColumn('elapsed_ms', 'bigint', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('channel_tests_channel').on('channel_tests').columns(['channel_id', 'id']).execute()
  },
}
