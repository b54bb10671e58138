import { tokenStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'

/** A token and its account. */
export async function findCaller(db: Db, keyLookup: string) {
  return await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id', 'tokens.user_id', 'tokens.name', 'tokens.status', 'tokens.expired_time', 'tokens.models', 'tokens.subnet'])
    .select('tokens.own_work_only')
    .select(['requests_per_minute', 'tokens_per_minute', 'requests_at_once', 'quota_per_day', 'quota_per_month'])
    .select(['users.username', 'users.groups', 'users.status as user_status', 'users.role'])
    .where('tokens.key_lookup', '=', keyLookup)
    .executeTakeFirst()
}

/** Marks a token as exhausted or expired. Compare-and-set: a concurrent change by an administrator wins. */
export async function markToken(db: Db, tokenId: number, status: { readonly from: number; readonly to: number }): Promise<void> {
  await db.updateTable('tokens').set({ status: status.to }).where('id', '=', tokenId).where('status', '=', status.from).execute()
}

/** Marks a token without quota as exhausted. `false`: it has quota, or another status. */
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

/** The current day and month of a token, as increasing numbers, and its total spending when each began. */
export interface Periods {
  readonly day: number
  readonly dayBase: number
  readonly month: number
  readonly monthBase: number
}

/**
 * Starts the day and the month of a token if others are stored, and returns its total spending at their start. Periods from a clock that
 * was ahead become the current ones but keep their start, so that none lasts too long.
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
