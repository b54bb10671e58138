import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When a code expires, in seconds since the epoch; -1 = never, like all codes before. */
async function addExpiry(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('redemptions')
    .addColumn('expired_time', 'bigint', (column) => column.notNull().defaultTo(sql.lit(-1)))
    .execute()
}

export const redemptionExpiry: Migration = { up: addExpiry }
