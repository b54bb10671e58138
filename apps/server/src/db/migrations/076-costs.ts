import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const sums = ['usage_hours', 'usage_sums', 'usage_accounts', 'usage_account_spans', 'usage_pairs'] as const

/** What vendors charge, beside what customers are charged. Nobody knows it of older rows. */
async function addCosts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('logs').addColumn('cost', 'bigint').execute()
  for (const table of sums) {
    for (const column of ['cost', 'costed_quota']) {
      await db.schema
        .alterTable(table)
        .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(sql`0`))
        .execute()
    }
  }
}

export const costs: Migration = { up: addCosts }
