import type { Db } from '../db/connect.ts'

/** Newest first. An account has a few at most. */
export async function listAccessTokens(db: Db, userId: number) {
  return await db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'scopes', 'created_time', 'expired_time', 'used_time'])
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute()
}

interface AccessChoice {
  /** Hash of the session that stays; `null` = none. */
  readonly keptHash: string | null
  /** Whether access tokens of both kinds are revoked too. */
  readonly hasTokens: boolean
}

/** Ends the sessions of an account, and revokes its access tokens if so chosen. In a transaction. @returns how many tokens */
export async function endAccess(db: Db, userId: number, { keptHash, hasTokens }: AccessChoice): Promise<number> {
  const sessions = db.deleteFrom('sessions').where('user_id', '=', userId)
  await (keptHash === null ? sessions : sessions.where('id_hash', '<>', keptHash)).execute()
  if (!hasTokens) return 0
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
