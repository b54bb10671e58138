import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which master key the store is sealed with: one row, with a keyed hash that names the key and tells nothing of it. */
async function addMasterKey(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('master_key')
    .addColumn('fingerprint', 'text', (column) => column.primaryKey())
    .execute()
}

export const masterKey: Migration = { up: addMasterKey }
