import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Failed requests by their error code, by the hour. Rows of the log that were added up before have no part in it. */
async function createErrors(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('usage_errors')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hour', 'bigint', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_errors_key', ['scope', 'name', 'hour', 'code'])
    .$call((builder) => (isPostgres ? builder : builder.modifyEnd(sql`without rowid`)))
    .execute()
}

export const usageErrors: Migration = { up: createErrors }
