import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Accounts by their inviter, newest first, for the list of those who came by an invitation. Accounts without one are left out. */
async function createIndex(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('users_inviter')
    .on('users')
    .columns(['inviter_id', 'id'])
    .where(sql.ref('inviter_id'), '>', sql.lit(0))
    .execute()
}

export const invitedUsers: Migration = { up: createIndex }
