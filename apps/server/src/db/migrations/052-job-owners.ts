import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which node does what only one may do, until when, and when it was last begun. Only PostgreSQL has several nodes. */
async function createJobOwners(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`CREATE TABLE job_owners (
    name text PRIMARY KEY,
    node text NOT NULL DEFAULT '',
    owned_until timestamptz NOT NULL DEFAULT '-infinity',
    begun_ms double precision NOT NULL DEFAULT 0,
    progress text NOT NULL DEFAULT ''
  )`.execute(db)
}

export const jobOwners: Migration = { up: createJobOwners }
