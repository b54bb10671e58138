import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** For rows that are looked for again and again and are few among all: root accounts, accounts that still have the first password, codes that were taken last. */
async function createIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('users_root').on('users').column('id').where(sql.ref('role'), '>=', sql.lit(100)).execute()
  await db.schema
    .createIndex('users_default_password')
    .on('users')
    .column('id')
    .where(sql.ref('default_password'), '=', sql.lit(1))
    .execute()
  await db.schema
    .createIndex('redemptions_taken')
    .on('redemptions')
    .column('redeemed_time')
    .where(sql.ref('status'), '=', sql.lit(3))
    .execute()
}

export const rareRows: Migration = { up: createIndexes }
