import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Results of tasks that are copied from their vendors and kept for some hours. */
async function createTaskFiles(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  const numbers = ['bytes', 'tries', 'kept_until', 'kept_at'] as const
  let table = db.schema
    .createTable('task_files')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('place', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('next_try_ms', 'bigint')
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
  await table.execute()
  await db.schema.createIndex('task_files_of_task').on('task_files').columns(['task_id', 'place']).unique().execute()
  await db.schema.createIndex('task_files_due').on('task_files').columns(['next_try_ms']).execute()
  await db.schema.createIndex('task_files_by_age').on('task_files').columns(['state', 'kept_at']).execute()
  await db.schema.createIndex('task_files_by_end').on('task_files').columns(['state', 'kept_until']).execute()
}

export const taskFiles: Migration = { up: createTaskFiles }
