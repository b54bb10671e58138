import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The last forms that changed the quota of a token, and the amount of each. */
async function addQuotaForms(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('tokens')
    .addColumn('quota_forms', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
}

export const quotaForms: Migration = { up: addQuotaForms }
