import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A proposed value of an option that root has not approved, and who proposed it. `null`: there is none. */
async function addPending(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('options').addColumn('pending', 'text').execute()
  await db.schema
    .alterTable('options')
    .addColumn('pending_by', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  // Each start checks whether there are several administrators.
  await db.schema.createIndex('users_admins').on('users').column('id').where(sql.ref('role'), '>=', sql.lit(10)).execute()
}

export const pendingOptions: Migration = { up: addPending }
