import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Columns that are unique among accounts, so that of two concurrent writes of one value only one succeeds. Empty = none. */
const identities = ['email', 'github_id', 'lark_id', 'wechat_id'] as const

async function createCodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('codes')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('tries_left', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('counters')
    .addColumn('key_hash', 'text', (column) => column.primaryKey())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('ends_at', 'bigint', (column) => column.notNull())
    .execute()
}

export const codes: Migration = {
  async up(db) {
    await createCodes(db)
    for (const column of identities) {
      await db.schema.createIndex(`users_${column}`).on('users').column(column).unique().where(column, '<>', '').execute()
    }
  },
}
