import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * How much of a token's concurrency each node has: `taken` is an object of epochs and numbers. And the node that creates a task at its
 * vendor: while it lives, no other node treats the task as lost. 0 = a single process.
 */
async function createPlaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('tasks')
    .addColumn('epoch', 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
    .execute()
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`CREATE TABLE token_places (token_id bigint PRIMARY KEY, taken jsonb NOT NULL) WITH (fillfactor = 50)`.execute(db)
}

export const placesAndOrders: Migration = { up: createPlaces }
