import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const texts = [
  'kind',
  'action',
  'model',
  'upstream_model',
  'group_name',
  'state',
  'stage',
  'idempotency_key',
  'order_sealed',
  'price',
] as const
const laterTexts = ['vendor_id', 'upstream_sealed', 'result_sealed', 'error_code', 'error_message'] as const
const numbers = ['user_id', 'token_id', 'held', 'give_up_at', 'created_at'] as const
const laterNumbers = ['channel_id', 'channel_type', 'progress', 'charged', 'polls', 'misses', 'ended_at', 'expires_at'] as const

/** Work that takes minutes, and which reservations belong to it: those outlive a restart. */
async function createTasks(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  let table = db.schema
    .createTable('tasks')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('public_id', 'text', (column) => column.notNull().unique())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('next_poll_ms', 'bigint')
  for (const name of texts) table = table.addColumn(name, 'text', (column) => column.notNull())
  for (const name of laterTexts) table = table.addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull())
  for (const name of laterNumbers) table = table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
  await table.execute()
  await db.schema.createIndex('tasks_of_user').on('tasks').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('tasks_of_user_by_time').on('tasks').columns(['user_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('tasks_by_time').on('tasks').columns(['created_at', 'id']).execute()
  await db.schema.createIndex('tasks_by_state').on('tasks').columns(['state', 'created_at', 'id']).execute()
  await db.schema.createIndex('tasks_of_channel').on('tasks').columns(['channel_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('tasks_due').on('tasks').columns(['next_poll_ms']).execute()
  await db.schema.createIndex('tasks_ended').on('tasks').columns(['ended_at']).execute()
  await db.schema
    .createTable('task_contents')
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('place', 'bigint', (column) => column.notNull())
    .addColumn('content_sealed', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_contents_key', ['task_id', 'place'])
    .execute()
  await db.schema
    .alterTable('holds')
    .addColumn('task_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const tasks: Migration = { up: createTasks }
