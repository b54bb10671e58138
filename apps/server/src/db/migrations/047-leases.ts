import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { reserveTasks } from '../reserve-tasks.ts'

/**
 * The parts of balances that nodes may spend. `leased` of an account or a token is what all nodes and the running tasks have of it together;
 * only the rest can be granted. The columns exist in every store, so that its tables can be copied; they are used where nodes share one.
 */
async function createLeases(db: Kysely<unknown>): Promise<void> {
  for (const table of ['users', 'tokens'])
    await db.schema
      .alterTable(table)
      .addColumn('leased', 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute()
  for (const name of ['epoch', 'leased', 'token_leased'])
    await db.schema
      .alterTable('holds')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute()
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await db.schema
    .createTable('leases')
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'integer', (column) => column.notNull())
    .addColumn('id', 'bigint', (column) => column.notNull())
    .addColumn('granted', 'bigint', (column) => column.notNull())
    .addColumn('recalled', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('leases_key', ['epoch', 'kind', 'id'])
    .modifyEnd(sql`WITH (fillfactor = 50)`)
    .execute()
  await db.schema.createIndex('leases_of').on('leases').columns(['kind', 'id']).execute()
  await sql`CREATE INDEX leases_recalled ON leases (epoch) WHERE recalled = 1`.execute(db)
  await sql`CREATE INDEX holds_of_node ON holds (epoch)`.execute(db)
  // Holds: the statements do not depend on the row types.
  await reserveTasks(db as never)
}

export const leases: Migration = { up: createLeases }
