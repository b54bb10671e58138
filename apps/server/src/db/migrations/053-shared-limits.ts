import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Counts of the limits that all nodes share. The tables are not logged: a commit waits for no disk, and after a crash of the database
 * the counts begin anew. Times are milliseconds of the database's clock. Only PostgreSQL has several nodes.
 */
async function createSharedLimits(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`CREATE UNLOGGED TABLE rate_limits (
    key text PRIMARY KEY,
    due_ms double precision NOT NULL
  ) WITH (fillfactor = 50)`.execute(db)
  await sql`CREATE UNLOGGED TABLE throttles (
    key text PRIMARY KEY,
    tries integer NOT NULL,
    first_ms double precision NOT NULL,
    until_ms double precision NOT NULL,
    forget_ms double precision NOT NULL
  ) WITH (fillfactor = 50)`.execute(db)
}

export const sharedLimits: Migration = { up: createSharedLimits }
