import type { Db } from '../../db/connect.ts'

/** The quota and the spending of a token and its account. */
export async function findAmounts(db: Db, tokenId: number) {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select([
      'tokens.remain_quota',
      'tokens.used_quota as token_used',
      'tokens.unlimited_quota',
      'tokens.expired_time',
      'users.quota',
      'users.used_quota as user_used',
    ])
    .where('tokens.id', '=', tokenId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    token: {
      remaining: row.remain_quota,
      used: row.token_used,
      isUnlimited: row.unlimited_quota === 1,
      expiredTime: row.expired_time,
    },
    user: { remaining: row.quota, used: row.user_used },
  }
}
