import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * A transaction has its number before it is given an id of these tables: so whoever knows an id and waits for all transactions up to the
 * newest number has waited for every lower id (`db/horizon.ts`). PostgreSQL alone would often number it only when it writes the row.
 */
async function numberWriters(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  for (const table of ['logs', 'ledger']) {
    const next = sql.lit(`${table}_id_seq`)
    await sql`ALTER TABLE ${sql.table(table)} ALTER COLUMN id
      SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval(${next}::regclass) END`.execute(db)
  }
}

export const numberedWriters: Migration = { up: numberWriters }
