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
