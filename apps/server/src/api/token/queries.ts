import { pageSize, type TokenLimitName, tokenLimitNames, type tokenOrders } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import type { TokenTable } from '../../db/schema.ts'
import { searchMax } from '../../lib/like.ts'

const columns = [
  'id',
  'user_id',
  'key_lookup',
  'key_sealed',
  'status',
  'name',
  'created_time',
  'accessed_time',
  'expired_time',
  'remain_quota',
  'unlimited_quota',
  'used_quota',
  'models',
  'subnet',
  ...tokenLimitNames,
] as const

export type StoredToken = NonNullable<Awaited<ReturnType<typeof findOwnToken>>>

export async function listTokens(
  db: Db,
  userId: number,
  { p, order }: { readonly p: number; readonly order: (typeof tokenOrders)[number] },
) {
  let query = db.selectFrom('tokens').select(columns).where('user_id', '=', userId)
  if (order === 'remain_quota') query = query.orderBy('unlimited_quota', 'desc').orderBy('remain_quota', 'desc')
  if (order === 'used_quota') query = query.orderBy('used_quota', 'desc')
  return await query
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset(p * pageSize)
    .execute()
}

export async function searchTokens(db: Db, userId: number, keyword: string) {
  return await db
    .selectFrom('tokens')
    .select(columns)
    .where('user_id', '=', userId)
    .where(containsText('name', keyword))
    .orderBy('id', 'desc')
    .limit(searchMax)
    .execute()
}

export async function findOwnToken(db: Db, userId: number, id: number) {
  return await db.selectFrom('tokens').select(columns).where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
}

export async function insertToken(db: Db, token: Insertable<TokenTable>) {
  return await db.insertInto('tokens').values(token).returning(columns).executeTakeFirstOrThrow()
}

interface TokenEdit {
  readonly name: string
  readonly expired_time: number
  readonly models: string
  readonly subnet: string
  /** Those that are to change. */
  readonly limits: GivenLimits
}

export type GivenLimits = Readonly<Partial<Record<TokenLimitName, number>>>

export async function editToken(db: Db, userId: number, { id, limits, ...edit }: TokenEdit & { readonly id: number }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ ...edit, ...limits })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function setTokenStatus(
  db: Db,
  userId: number,
  { id, status }: { readonly id: number; readonly status: number },
): Promise<void> {
  await db.updateTable('tokens').set({ status }).where('user_id', '=', userId).where('id', '=', id).execute()
}

export async function deleteToken(db: Db, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('tokens').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
