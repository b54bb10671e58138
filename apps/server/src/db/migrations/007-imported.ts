import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rows that were imported from another database, so that a repeated import skips them. */
async function createImported(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('imported')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('source_id', 'bigint', (column) => column.notNull())
    .addColumn('target_id', 'bigint', (column) => column.notNull())
    .addColumn('used_quota', 'bigint', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('imported_key', ['source', 'kind', 'source_id'])
    .execute()
  await db.schema.createIndex('imported_target').on('imported').columns(['kind', 'target_id']).execute()
}

export const imported: Migration = { up: createImported }
