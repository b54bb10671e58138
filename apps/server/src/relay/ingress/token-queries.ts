import { tokenStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'

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
