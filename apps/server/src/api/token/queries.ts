import { type TokenLimitName, tokenLimitNames, type tokenOrders, tokenStatus } from '@sluice/contract'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import type { TokenTable } from '../../db/schema.ts'

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
  'own_work_only',
  ...tokenLimitNames,
] as const

export type StoredToken = NonNullable<Awaited<ReturnType<typeof findOwnToken>>>

interface TokenListQuery extends Page {
  readonly order: (typeof tokenOrders)[number]
  /** The status that rows show at `now`; 0 = all. */
  readonly status: number
  readonly now: number
}

export async function listTokens(db: Db, userId: number, { order, status, now, ...page }: TokenListQuery) {
  return await onePage(ownTokens(db, userId, { status, now }), 'tokens', { page, order: orders[order] }).execute()
}

const orders: Readonly<Record<(typeof tokenOrders)[number], readonly string[]>> = {
  '': ['id'],
  remain_quota: ['unlimited_quota', 'remain_quota', 'id'],
  used_quota: ['used_quota', 'id'],
}

export async function searchTokens(
  db: Db,
  userId: number,
  { keyword, order, status, now, ...page }: TokenListQuery & { readonly keyword: string },
) {
  const query = ownTokens(db, userId, { status, now }).where(containsText('name', keyword))
  return await onePage(query, 'tokens', { page, order: orders[order] }).execute()
}

function ownTokens(db: Db, userId: number, { status, now }: Pick<TokenListQuery, 'status' | 'now'>) {
  const all = db.selectFrom('tokens').select(columns).where('user_id', '=', userId)
  if (status === tokenStatus.enabled) return all.where('status', '=', status).where(sql<boolean>`NOT ${isOver(now)}`)
  if (status !== tokenStatus.expired) return status === 0 ? all : all.where('status', '=', status)
  // The stored status is updated with the next request of the token.
  return all.where((build) => build.or([build('status', '=', status), build.and([build('status', '=', tokenStatus.enabled), isOver(now)])]))
}

const isOver = (now: number) => sql<boolean>`(${sql.ref('expired_time')} <> -1 AND ${sql.ref('expired_time')} <= ${now})`

export async function findOwnToken(db: Db, userId: number, id: number) {
  return await db.selectFrom('tokens').select(columns).where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
}

/** Whether an account has at least this many tokens. */
export async function hasTokens(db: Db, userId: number, count: number): Promise<boolean> {
  const last = await db
    .selectFrom('tokens')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('id')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst()
  return last !== undefined
}

export async function insertToken(db: Db, token: Insertable<TokenTable>) {
  return await db.insertInto('tokens').values(token).returning(columns).executeTakeFirstOrThrow()
}

/** Undefined members do not change. */
type TokenEdit = {
  readonly [Column in 'name' | 'expired_time' | 'models' | 'subnet' | 'own_work_only' | TokenLimitName]?: StoredToken[Column] | undefined
}

export async function editToken(db: Db, userId: number, { id, ...edit }: TokenEdit & { readonly id: number }): Promise<void> {
  const change = Object.entries(edit).filter(([, value]) => value !== undefined)
  if (change.length === 0) return
  await db.updateTable('tokens').set(Object.fromEntries(change)).where('user_id', '=', userId).where('id', '=', id).execute()
}

/** @returns the token with its new key; `undefined` = the account has no such token */
export async function replaceTokenKey(
  db: Db,
  userId: number,
  { id, ...key }: { readonly id: number } & Pick<StoredToken, 'key_lookup' | 'key_sealed'>,
) {
  return await db.updateTable('tokens').set(key).where('user_id', '=', userId).where('id', '=', id).returning(columns).executeTakeFirst()
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
