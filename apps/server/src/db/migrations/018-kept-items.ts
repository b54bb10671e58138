import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Items of responses that the vendor does not store, so that later requests can refer to them. */
async function addKeptItems(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('kept_answers').addColumn('item_sealed', 'text').execute()
}

export const keptItems: Migration = { up: addKeptItems }
