import type { Db } from '../../db/connect.ts'

/** What an account has as second factor. */
export async function findFactors(db: Db, userId: number) {
  return await db
    .selectFrom('second_factors')
    .select(['is_on', 'app_sealed', 'app_confirmed'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

/** Makes transactions that change the factors of one account wait for each other. */
export async function lockFactors(db: Db, userId: number): Promise<void> {
  await db
    .insertInto('second_factors')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet((build) => ({ is_on: build.ref('second_factors.is_on') })))
    .execute()
}

/** Stores the secret of an app that is to be confirmed. `false` = one is confirmed already. */
export async function saveApp(db: Db, userId: number, sealed: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ app_sealed: sealed, app_step: 0 })
    .where('user_id', '=', userId)
    .where('app_confirmed', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Confirms the app and turns two-factor authentication on. `false` = it is confirmed already, or another secret has replaced this one. */
export async function confirmApp(db: Db, userId: number, app: { readonly sealed: string; readonly step: number }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ app_confirmed: 1, is_on: 1, app_step: app.step })
    .where('user_id', '=', userId)
    .where('app_sealed', '=', app.sealed)
    .where('app_confirmed', '=', 0)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** `false` = a code of this time step or a later one was accepted before. */
export async function takeStep(db: Db, userId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ app_step: step })
    .where('user_id', '=', userId)
    .where('app_confirmed', '=', 1)
    .where('app_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function removeApp(db: Db, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ app_sealed: '', app_confirmed: 0, app_step: 0 })
    .where('user_id', '=', userId)
    .where('app_sealed', '<>', '')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** `false` = it is so already. */
export async function setOn(db: Db, userId: number, isOn: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ is_on: isOn ? 1 : 0 })
    .where('user_id', '=', userId)
    .where('is_on', '=', isOn ? 0 : 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function hasPasskey(db: Db, userId: number, host?: string): Promise<boolean> {
  const query = db.selectFrom('passkeys').select('id').where('user_id', '=', userId)
  return (await (host === undefined ? query : query.where('host', '=', host)).limit(1).executeTakeFirst()) !== undefined
}

export async function countCodes(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function replaceCodes(db: Db, userId: number, lookups: readonly string[]): Promise<void> {
  await deleteCodes(db, userId)
  await db
    .insertInto('recovery_codes')
    .values(lookups.map((code_lookup) => ({ user_id: userId, code_lookup })))
    .execute()
}

export async function deleteCodes(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** `false` = it is none, or was used before. */
export async function spendCode(db: Db, userId: number, lookup: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_lookup', '=', lookup)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Removes all second factors. */
export async function deleteFactors(db: Db, userId: number): Promise<void> {
  for (const table of ['second_factors', 'recovery_codes', 'passkeys'] as const) {
    await db.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}

export async function findAccount(db: Db, id: number) {
  return await db.selectFrom('users').select(['id', 'username', 'role', 'status']).where('id', '=', id).executeTakeFirst()
}
