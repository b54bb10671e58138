import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { AccessTokenTable } from '../../db/security-tables.ts'

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
