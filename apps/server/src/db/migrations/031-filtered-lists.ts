import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * The rows that filters of accounts and codes ask for although they are few: administrators, banned accounts, used and disabled codes, codes
 * with an expiry. Most rows are in none of these indexes.
 */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const rare = (table: string, column: string) =>
    db.schema.createIndex(`${table}_by_${column}`).on(table).columns([column, 'id']).where(sql.ref(column), '<>', sql.lit(1)).execute()
  await rare('users', 'role')
  await rare('users', 'status')
  await rare('redemptions', 'status')
  await db.schema
    .createIndex('redemptions_expiring')
    .on('redemptions')
    .column('id')
    .where(sql.ref('status'), '=', sql.lit(1))
    .where(sql.ref('expired_time'), '<>', sql.lit(-1))
    .execute()
}

export const filteredLists: Migration = { up: createIndexes }
