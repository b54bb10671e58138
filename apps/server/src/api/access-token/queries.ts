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

/** @returns its name; `undefined` = the account has no such token */
export async function deleteAccessToken(db: Db, userId: number, id: number): Promise<string | undefined> {
  const row = await db.deleteFrom('access_tokens').where('user_id', '=', userId).where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}
