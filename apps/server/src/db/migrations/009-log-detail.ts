import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Every class that a request was charged for. One column of text: a row is written for each request, and read by people only. */
async function addLogDetail(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('logs')
    .addColumn('detail', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const logDetail: Migration = { up: addLogDetail }
