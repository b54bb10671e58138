import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { AccessTokenTable } from '../../db/security-tables.ts'

/** Newest first. An account has a few at most. */
export async function listAccessTokens(db: Db, userId: number) {
  return await db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'scopes', 'created_time', 'expired_time', 'used_time'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute()
}

export async function countAccessTokens(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('access_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertAccessToken(db: Db, token: Insertable<AccessTokenTable>): Promise<number> {
  return (await db.insertInto('access_tokens').values(token).returning('id').executeTakeFirstOrThrow()).id
}

/** Revokes every access token of an account, the system one included. @returns how many */
export async function deleteAccessTokens(db: Db, userId: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('access_tokens').where('user_id', '=', userId).executeTakeFirst()
  return Number(numDeletedRows) + ((await deleteSystemToken(db, userId)) ? 1 : 0)
}

export async function findSystemToken(db: Db, userId: number) {
  return await db
    .selectFrom('users')
    .select(['access_token_created_time as created_time', 'access_token_used_time as used_time'])
    .where('id', '=', userId)
    .where('access_token_lookup', 'is not', null)
    .executeTakeFirst()
}

/** Replaces the system access token. */
export async function saveSystemToken(
  db: Db,
  userId: number,
  { lookup, now }: { readonly lookup: string; readonly now: number },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ access_token_lookup: lookup, access_token_created_time: now, access_token_used_time: 0 })
    .where('id', '=', userId)
    .execute()
}

/** `false` = the account has none. */
export async function deleteSystemToken(db: Db, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ access_token_lookup: null, access_token_created_time: 0, access_token_used_time: 0 })
    .where('id', '=', userId)
    .where('access_token_lookup', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns its name; `undefined` = the account has no such token */
export async function deleteAccessToken(db: Db, userId: number, id: number): Promise<string | undefined> {
  const row = await db.deleteFrom('access_tokens').where('user_id', '=', userId).where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}
