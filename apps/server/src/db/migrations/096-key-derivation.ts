import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** How the master key is derived. Empty as in the first versions, which can then still open what is stored. */
async function addKeyDerivation(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('master_key')
    .addColumn('derivation', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const keyDerivation: Migration = { up: addKeyDerivation }
