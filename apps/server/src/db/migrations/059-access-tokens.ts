import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Personal access tokens: named keys of the management API, each with its scopes. */
async function createAccessTokens(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', isPostgres ? 'bigserial' : 'integer', (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('lookup', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('expired_time', 'bigint', (column) => column.notNull())
    .addColumn('used_time', 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
    .execute()
  await db.schema.createIndex('access_tokens_user').on('access_tokens').columns(['user_id', 'id']).execute()
}

export const accessTokens: Migration = { up: createAccessTokens }
