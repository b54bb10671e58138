import { type ColumnDefinitionBuilder, type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rules of notifications, what is breached at present, and what was sent or waits to be sent. */
async function createNotifications(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const counted = (column: ColumnDefinitionBuilder) => (isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement())
  const idType = isPostgres ? 'bigserial' : 'integer'
  await db.schema
    .createTable('notification_rules')
    .addColumn('id', idType, counted)
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('threshold', 'bigint', (column) => column.notNull())
    .addColumn('hours', 'bigint', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('url_sealed', 'text', (column) => column.notNull())
    .addColumn('secret_sealed', 'text', (column) => column.notNull())
    .addColumn('is_on', 'bigint', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('notification_rules_user').on('notification_rules').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('notification_rules_kind').on('notification_rules').columns(['kind', 'scope', 'is_on']).execute()
  await db.schema
    .createTable('notification_breaches')
    .addColumn('rule_id', 'bigint', (column) => column.notNull().references('notification_rules.id').onDelete('cascade'))
    .addColumn('subject', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('notification_breaches_key', ['rule_id', 'subject'])
    .execute()
  await db.schema
    .createTable('notification_deliveries')
    .addColumn('id', idType, counted)
    .addColumn('delivery_id', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('rule_id', 'bigint', (column) => column.notNull())
    .addColumn('rule_name', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('notice', 'text', (column) => column.notNull())
    .addColumn('is_test', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('next_ms', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('ended_time', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('notification_deliveries_user').on('notification_deliveries').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('notification_deliveries_time').on('notification_deliveries').columns(['created_time']).execute()
  // Few wait; those that have ended are many.
  await db.schema
    .createIndex('notification_deliveries_due')
    .on('notification_deliveries')
    .columns(['next_ms'])
    .where(sql.ref('state'), '=', sql.lit('waiting'))
    .execute()
}

export const notifications: Migration = { up: createNotifications }
