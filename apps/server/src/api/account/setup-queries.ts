import { role, userStatus } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** The root account without a password, with the hash of its setup link; a link ends when a password is set. */
export async function findSetup(db: Db) {
  return await db
    .selectFrom('setup_links')
    .innerJoin('users', 'users.id', 'setup_links.user_id')
    .select(['users.id', 'users.username', 'users.display_name', 'users.role', 'users.status', 'setup_links.secret_hash'])
    .where('users.role', '>=', sql.lit(role.root))
    .where('users.status', '=', userStatus.enabled)
    .where('users.password_hash', '=', '')
    .limit(1)
    .executeTakeFirst()
}

/** Replaces the link of an account. */
export async function saveSetupLink(
  db: Db,
  { userId, secretHash, now }: { readonly userId: number; readonly secretHash: string; readonly now: number },
): Promise<void> {
  const link = { secret_hash: secretHash, created_at: now }
  await db
    .insertInto('setup_links')
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(link))
    .execute()
}

/** Deletes every link: there is one at most. */
export async function deleteSetupLinks(db: Db): Promise<void> {
  await db.deleteFrom('setup_links').execute()
}

/** The first root account. */
export async function findRoot(db: Db) {
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'password_hash', 'default_password'])
    .where('role', '>=', sql.lit(role.root))
    .where('status', '<>', userStatus.deleted)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Whether the database is older than the check of host names. */
export async function isOlderThanHostNames(db: Db): Promise<boolean> {
  return (
    (await db.selectFrom('installation_marks').select('name').where('name', '=', 'older than host names').executeTakeFirst()) !== undefined
  )
}
