import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const sums = ['usage_hours', 'usage_sums', 'usage_accounts', 'usage_account_spans', 'usage_pairs'] as const

/** Whether requests were served, apart from those that fail by what their clients send. Nobody knows it of older rows. */
async function addServed(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('logs').addColumn('served', 'bigint').execute()
  for (const table of sums) {
    for (const column of ['served', 'unserved']) {
      await db.schema
        .alterTable(table)
        .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(sql`0`))
        .execute()
    }
  }
}

export const served: Migration = { up: addServed }
