import type { Db } from '../db/connect.ts'

export async function findToken(db: Db, keyLookup: string) {
  return await db
    .selectFrom('tokens')
    .select(['id', 'user_id', 'name', 'status', 'expired_time', 'models', 'subnet', 'unlimited_quota', 'remain_quota'])
    .where('key_lookup', '=', keyLookup)
    .executeTakeFirst()
}

/** What a token and its account have and have spent. */
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

export async function findUser(db: Db, userId: number) {
  return await db.selectFrom('users').select(['id', 'username', 'groups', 'status', 'role']).where('id', '=', userId).executeTakeFirst()
}

export async function listChannels(db: Db) {
  return await db
    .selectFrom('channels')
    .select([
      'id',
      'type',
      'name',
      'key_sealed',
      'status',
      'weight',
      'priority',
      'base_url',
      'models',
      'groups',
      'model_mapping',
      'settings_sealed',
    ])
    .orderBy('id')
    .execute()
}

/** A token found spent or past its time says so in its row from then on. Compare-and-set: a person's change in between stays. */
export async function markToken(db: Db, tokenId: number, status: { readonly from: number; readonly to: number }): Promise<void> {
  await db.updateTable('tokens').set({ status: status.to }).where('id', '=', tokenId).where('status', '=', status.from).execute()
}
