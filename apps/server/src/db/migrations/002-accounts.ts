import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What names one account only, where it is not empty. */
const identities = ['email', 'github_id', 'wechat_id', 'lark_id', 'aff_code'] as const

async function makeUnique(db: Kysely<unknown>): Promise<void> {
  for (const column of identities) {
    await db.schema.createIndex(`users_${column}`).on('users').column(column).unique().where(sql.ref(column), '<>', sql.lit('')).execute()
  }
}

async function createGrants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('grants_due')
    .addColumn('ref', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  // Small, because people seldom set a balance; charges, which are many, do not pass it.
  await db.schema.createIndex('ledger_edits').on('ledger').column('user_id').where(sql.ref('kind'), '=', sql.lit('admin')).execute()
}

export const accounts: Migration = {
  async up(db) {
    await makeUnique(db)
    await createGrants(db)
  },
}
