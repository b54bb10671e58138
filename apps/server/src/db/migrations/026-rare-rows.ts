import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Indexes of rows that are queried often and are few: root accounts, accounts with the first password, codes that were used last. */
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
