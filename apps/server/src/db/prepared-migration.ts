import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * A migration of a large table that other servers use. What takes long, and can be done while they write, is done before the transaction of
 * all migrations.
 */
export interface PreparedMigration extends Migration {
  /** Runs outside a transaction, where the migration is pending and the store is not new. Called again after a process was killed in it. */
  readonly prepare: Migration['up']
  /** Takes back what must not stay if the migration cannot run. */
  readonly abandon: Migration['up']
}

export const isPrepared = (migration: Migration): migration is PreparedMigration => Object.hasOwn(migration, 'prepare')

/**
 * Builds an index while other servers write, where it is not there yet. One that a killed process left is not valid, and is built anew.
 * @param create CREATE INDEX CONCURRENTLY, with this name
 */
export async function buildIndex(db: Kysely<unknown>, name: string, create: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<{
    isValid: number
  }>`SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.isValid === 1) return
  await sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql.ref(name)}`.execute(db)
  await create.execute(db)
}
