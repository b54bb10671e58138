import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The accounts of a rare group, in the order of their list. Most accounts are in the group default only, and in none of these entries; an
 * entry has the groups too, so that only rows that are shown are read.
 */
async function createIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('users_by_groups')
    .on('users')
    .columns(['id', 'groups'])
    .where(sql.ref('groups'), '<>', sql.lit('default'))
    .execute()
}

export const usersByGroups: Migration = { up: createIndex }
