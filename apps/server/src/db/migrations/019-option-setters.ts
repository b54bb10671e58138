import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The role that set an option last. For present options it is unknown: they count as set by root, so that nobody is locked out. */
async function addSetterRole(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('options')
    .addColumn('set_by_role', 'integer', (column) => column.notNull().defaultTo(100))
    .execute()
}

export const optionSetters: Migration = { up: addSetterRole }
