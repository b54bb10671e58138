import { type Kysely, sql } from 'kysely'

/** What a version may add to tables that the version before it uses. */
export async function add(db: Kysely<never>): Promise<void> {
  for (const table of ['logs', 'ledger', 'users', 'tokens', 'nodes'])
    await sql`ALTER TABLE ${sql.table(table)} ADD COLUMN added text NOT NULL DEFAULT 'by the later version'`.execute(db)
  await sql`CREATE TABLE added (id bigint PRIMARY KEY)`.execute(db)
  await sql`CREATE INDEX logs_added ON logs (added, created_at)`.execute(db)
}
