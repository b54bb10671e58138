import { type Kysely, PostgresAdapter } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What changed of options and channels, with the values before and after. */
async function createChanges(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('changes')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('noun', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('actor_id', 'bigint', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('before', 'text', (column) => column.notNull())
    .addColumn('after', 'text', (column) => column.notNull())
    .addColumn('hidden', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('changes_target').on('changes').columns(['noun', 'target', 'id']).execute()
}

export const changes: Migration = { up: createChanges }
