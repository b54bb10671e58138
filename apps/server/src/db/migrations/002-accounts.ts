import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

async function createGrants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('grants_due')
    .addColumn('ref', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}

export const accounts: Migration = {
  async up(db) {
    await createGrants(db)
    // Empty = no code.
    await db.schema.createIndex('users_aff_code').on('users').column('aff_code').unique().where('aff_code', '<>', '').execute()
    // Small, because only entries of administrators are in it and not the many charges.
    await db.schema.createIndex('ledger_edits').on('ledger').column('user_id').where(sql.ref('kind'), '=', sql.lit('admin')).execute()
  },
}
