import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Whether the vendor reported impossible counts, as opposed to none. */
async function addUsageSuspect(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('logs')
    .addColumn('usage_suspect', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
}

export const usageSuspect: Migration = { up: addUsageSuspect }
