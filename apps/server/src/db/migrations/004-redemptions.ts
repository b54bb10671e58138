import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

async function createRedemptions(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  await db.schema
    .createTable('redemptions')
    // Never reused after a delete, because ledger entries still refer to the code.
    .addColumn('id', isPostgres ? sql`bigserial` : sql`integer`, (column) =>
      isPostgres ? column.primaryKey() : column.primaryKey().autoIncrement(),
    )
    .addColumn('user_id', 'bigint', (column) => column.notNull())
    .addColumn('key_lookup', 'text', (column) => column.notNull().unique())
    .addColumn('key_sealed', 'text', (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('quota', 'bigint', (column) => column.notNull())
    .addColumn('created_time', 'bigint', (column) => column.notNull())
    .addColumn('redeemed_time', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('used_user_id', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}

export const redemptions: Migration = { up: createRedemptions }
