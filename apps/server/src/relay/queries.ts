import { tokenStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { KeptAnswerTable } from '../db/schema.ts'
import { AppError } from '../lib/app-error.ts'

/** A token and its account. */
export async function findCaller(db: Db, keyLookup: string) {
  return await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id', 'tokens.user_id', 'tokens.name', 'tokens.status', 'tokens.expired_time', 'tokens.models', 'tokens.subnet'])
    .select(['requests_per_minute', 'tokens_per_minute', 'requests_at_once', 'quota_per_day', 'quota_per_month'])
    .select(['users.username', 'users.groups', 'users.status as user_status', 'users.role'])
    .where('tokens.key_lookup', '=', keyLookup)
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

/** The same for a token that has nothing left. `false`: it has something, or another status. */
export async function markExhausted(db: Db, tokenId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ status: tokenStatus.exhausted })
    .where('id', '=', tokenId)
    .where('status', '=', tokenStatus.enabled)
    .where('unlimited_quota', '=', 0)
    .where('remain_quota', '<=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The running day and month of a token, as numbers that grow, and what it had spent in all when they began. */
export interface Periods {
  readonly day: number
  readonly dayBase: number
  readonly month: number
  readonly monthBase: number
}

/**
 * Begins the day and the month of a token, where others run, and says what it had spent in all when they did. Those of a clock that was ahead
 * become the present ones, so that none lasts longer than it should, and go on from where they began.
 */
export async function openPeriods(
  db: Db,
  tokenId: number,
  { day, month }: { readonly day: number; readonly month: number },
): Promise<Periods> {
  const row = await db
    .updateTable('tokens')
    .set(({ eb, ref }) => ({
      day_number: day,
      day_base: eb.case().when('day_number', '<', day).then(ref('used_quota')).else(ref('day_base')).end(),
      month_number: month,
      month_base: eb.case().when('month_number', '<', month).then(ref('used_quota')).else(ref('month_base')).end(),
    }))
    .where('id', '=', tokenId)
    .returning(['day_number', 'day_base', 'month_number', 'month_base'])
    .executeTakeFirst()
  if (row === undefined) throw new AppError('token_invalid')
  return { day: row.day_number, dayBase: row.day_base, month: row.month_number, monthBase: row.month_base }
}

export type KeptRow = Insertable<KeptAnswerTable>

/** The same id from the same account again: the newest holds. */
export async function saveAnswers(db: Db, rows: readonly KeptRow[]): Promise<void> {
  await db
    .insertInto('kept_answers')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'id']).doUpdateSet(({ ref }) => ({
        token_id: ref('excluded.token_id'),
        channel_id: ref('excluded.channel_id'),
        key_lookup: ref('excluded.key_lookup'),
        item_sealed: ref('excluded.item_sealed'),
        created_at: ref('excluded.created_at'),
      })),
    )
    .execute()
}

interface ItemsAsked {
  readonly userId: number
  readonly ids: readonly string[]
  readonly since: number
}

export async function findItems(db: Db, { userId, ids, since }: ItemsAsked) {
  return await db
    .selectFrom('kept_answers')
    .select(['id', 'channel_id', 'key_lookup', 'item_sealed'])
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .where('created_at', '>', since)
    .execute()
}

export async function findAnswer(db: Db, { userId, id, since }: { readonly userId: number; readonly id: string; readonly since: number }) {
  return await db
    .selectFrom('kept_answers')
    .select(['channel_id', 'key_lookup'])
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('item_sealed', 'is', null)
    .where('created_at', '>', since)
    .executeTakeFirst()
}

export async function deleteAnswer(db: Db, { userId, id }: { readonly userId: number; readonly id: string }): Promise<void> {
  await db.deleteFrom('kept_answers').where('user_id', '=', userId).where('id', '=', id).execute()
}

/** Deletes some of the oldest. @returns whether there may be more */
export async function deleteAnswersBefore(db: Db, before: number, rowsMax: number): Promise<boolean> {
  const last = await db
    .selectFrom('kept_answers')
    .select('created_at')
    .where('created_at', '<=', before)
    .orderBy('created_at')
    .offset(rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  await db
    .deleteFrom('kept_answers')
    .where('created_at', '<=', last?.created_at ?? before)
    .execute()
  return last !== undefined
}
