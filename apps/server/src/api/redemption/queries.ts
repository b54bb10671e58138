import { redemptionState, redemptionStatus } from '@sluice/contract'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import { exactFirst, idIn } from '../../db/exact-first.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import type { RedemptionTable } from '../../db/schema.ts'

const columns = [
  'id',
  'user_id',
  'key_lookup',
  'key_sealed',
  'status',
  'name',
  'quota',
  'created_time',
  'redeemed_time',
  'expired_time',
  'used_user_id',
] as const

/** The ledger's ref of a redeemed code. */
export const redeemRef = (id: number): string => `redemption:${id}`

export type StoredRedemption = NonNullable<Awaited<ReturnType<typeof findRedemption>>>

/** Rows of one state, by the time of the call; 0 means all. */
interface Filters {
  readonly status: number
  readonly now: number
}

export async function listRedemptions(db: Db, { status, now, ...page }: Page & Filters) {
  return await onePage(inState(db, { status, now }), 'redemptions', { page, order: ['id'] }).execute()
}

/** By id, or a part of the name. */
export async function searchRedemptions(db: Db, { keyword, status, now, ...page }: Page & Filters & { readonly keyword: string }) {
  const id = idIn(keyword)
  const all = inState(db, { status, now })
  const exact = id === null ? undefined : await all.where('id', '=', id).executeTakeFirst()
  const matches = all.where(containsText('name', keyword))
  const others = exact === undefined ? matches : matches.where('id', '<>', exact.id)
  return await exactFirst({
    page,
    exact,
    others: async (nextPage) => await onePage(others, 'redemptions', { page: nextPage, order: ['id'] }).execute(),
  })
}

function inState(db: Db, { status, now }: Filters) {
  const all = db.selectFrom('redemptions').select(columns)
  if (status === 0) return all
  if (status === redemptionState.unused) return all.where('status', '=', status).where(isValidAt(now))
  // Written out, because only then the indexes of rare rows are used.
  if (status !== redemptionState.expired) return all.where('status', '<>', sql.lit(redemptionStatus.unused)).where('status', '=', status)
  const expiring = all.where('status', '=', sql.lit(redemptionStatus.unused)).where('expired_time', '<>', sql.lit(-1))
  return expiring.where('expired_time', '<=', now)
}

const isValidAt = (now: number) => sql<boolean>`(${sql.ref('expired_time')} = -1 OR ${sql.ref('expired_time')} > ${now})`

export async function findRedemption(db: Db, id: number) {
  return await db.selectFrom('redemptions').select(columns).where('id', '=', id).executeTakeFirst()
}

export async function findRedemptionByKey(db: Db, keyLookup: string) {
  return await db.selectFrom('redemptions').select(['status', 'expired_time']).where('key_lookup', '=', keyLookup).executeTakeFirst()
}

/** One statement: all of them or none. */
export async function insertRedemptions(db: Db, rows: readonly Insertable<RedemptionTable>[]): Promise<void> {
  await db.insertInto('redemptions').values(rows).execute()
}

export interface RedemptionEdit {
  readonly name?: string | undefined
  readonly quota?: number | undefined
  readonly expired_time?: number | undefined
  readonly status?: number | undefined
}

/** Changes a code that was not redeemed, or gives it another key. @returns its row; `undefined`: there is none, or it was redeemed */
export async function changeUnused(db: Db, id: number, change: RedemptionEdit | Pick<StoredRedemption, 'key_lookup' | 'key_sealed'>) {
  return await db
    .updateTable('redemptions')
    .set(change)
    .where('id', '=', id)
    .where('status', '<>', redemptionStatus.used)
    .returning(columns)
    .executeTakeFirst()
}

/** A claimed code is not deleted until the ledger has its credit: only the row shows how much its redeemer gets. */
export async function deleteRedemption(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('redemptions')
    .where('id', '=', id)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('used_user_id', '=', 0),
        exists(selectFrom('ledger').select('id').where('kind', '=', 'redeem').where('ref', '=', redeemRef(id))),
      ]),
    )
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Claims the code for one user, if its time is not over. Of concurrent tries only one succeeds; `undefined` = the code is not available. */
export async function claimRedemption(
  db: Db,
  keyLookup: string,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<{ readonly id: number; readonly name: string; readonly quota: number } | undefined> {
  return await db
    .updateTable('redemptions')
    .set({ status: redemptionStatus.used, used_user_id: userId, redeemed_time: now })
    .where('key_lookup', '=', keyLookup)
    .where('status', '=', redemptionStatus.unused)
    .where(isValidAt(now))
    .returning(['id', 'name', 'quota'])
    .executeTakeFirst()
}

/** Last claimed codes that are checked for missing credits: more than are claimed within an hour. Older ones were checked before. */
const lastTakenMax = 10_000

/** Recently claimed codes without a ledger entry: the process ended between claim and credit. */
export async function listUncredited(db: Db) {
  const lastTaken = db
    .selectFrom('redemptions')
    .select(['id', 'name', 'quota', 'redeemed_time', 'used_user_id'])
    .where('status', '=', sql.lit(redemptionStatus.used))
    .orderBy('redeemed_time', 'desc')
    .limit(lastTakenMax)
  return await db
    .selectFrom(lastTaken.as('taken'))
    .innerJoin('users', 'users.id', 'taken.used_user_id')
    .leftJoin('ledger', (join) => join.on('ledger.kind', '=', 'redeem').on('ledger.ref', '=', sql`'redemption:' || CAST(taken.id AS TEXT)`))
    .select(['taken.id', 'taken.name', 'taken.quota', 'taken.redeemed_time', 'users.id as user_id', 'users.username'])
    .where('ledger.id', 'is', null)
    .execute()
}
