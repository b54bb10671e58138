import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The master key that encrypts the database: one row with a keyed hash, which identifies the key without revealing it. */
async function addMasterKey(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('master_key')
    .addColumn('fingerprint', 'text', (column) => column.primaryKey())
    .execute()
}

export const masterKey: Migration = { up: addMasterKey }
