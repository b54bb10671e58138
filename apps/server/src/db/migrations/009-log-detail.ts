import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Line items of the charge. One text column, because every request writes it and only people read it. */
async function addLogDetail(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('logs')
    .addColumn('detail', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const logDetail: Migration = { up: addLogDetail }
