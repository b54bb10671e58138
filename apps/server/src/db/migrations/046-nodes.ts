import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const numbers = ['started_ms', 'heartbeat_ms', 'last_number'] as const
const texts = ['id', 'version', 'state', 'last_answer'] as const

/**
 * The processes that share a database, one row for each start. A file of SQLite belongs to one process, which needs no row. The row takes
 * the place of `store_owner`, a table with one row for the only process. Most of each page stays free: every batch changes its node's row.
 */
async function createNodes(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  let table = db.schema.createTable('nodes').addColumn('epoch', 'bigserial', (column) => column.primaryKey())
  for (const name of texts) table = table.addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
  for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(sql.lit(0)))
  await table.modifyEnd(sql`WITH (fillfactor = 20)`).execute()
  await db.schema.dropTable('store_owner').ifExists().execute()
}

export const nodes: Migration = { up: createNodes }
