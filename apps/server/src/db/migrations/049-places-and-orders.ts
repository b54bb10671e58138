import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Which places of a token's requests at once each node has: `taken` is an object of epochs and numbers. And the node that sends the order of a
 * task: while it lives, no other one takes the order for lost. 0 = one process.
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
