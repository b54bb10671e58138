import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { PasskeyTable } from '../../db/security-tables.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'

const visibleColumns = ['id', 'name', 'host', 'created_time', 'used_time'] as const

/** Newest first. An account has a few at most. */
export async function listPasskeys(db: Db, userId: number) {
  return await db.selectFrom('passkeys').select(visibleColumns).where('user_id', '=', userId).orderBy('id', 'desc').execute()
}

/** The passkeys of an account for one host, as browsers name them. */
export async function listCredentials(db: Db, userId: number, host: string) {
  return await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .where('host', '=', host)
    .orderBy('id')
    .execute()
}

/** The count includes those of other hosts. */
export async function countPasskeys(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('passkeys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** `undefined` = an account has it already. */
export async function insertPasskey(db: Db, passkey: Insertable<PasskeyTable>) {
  try {
    return await db.insertInto('passkeys').values(passkey).returning(visibleColumns).executeTakeFirstOrThrow()
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

export async function findPasskey(db: Db, credentialId: string) {
  return await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'passkeys.user_id', 'users.username', 'passkeys.name', 'passkeys.host'])
    .select(['passkeys.credential_id', 'passkeys.public_key', 'passkeys.counter', 'passkeys.transports'])
    .where('passkeys.credential_id', '=', credentialId)
    .executeTakeFirst()
}

interface Use {
  readonly counterBefore: number
  readonly counter: number
  readonly now: number
}

/** `false` = another login has moved the counter since it was read. */
export async function noteUse(db: Db, id: number, { counterBefore, counter, now }: Use): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, used_time: now })
    .where('id', '=', id)
    .where('counter', '=', counterBefore)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function renamePasskey(
  db: Db,
  userId: number,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** @returns its name; `undefined` = the account has no such passkey */
export async function deletePasskey(db: Db, userId: number, id: number): Promise<string | undefined> {
  const row = await db.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}

/** Makes transactions that change the factors of one account wait for each other. */
export async function lockFactors(db: Db, userId: number): Promise<void> {
  await db
    .insertInto('second_factors')
    .values({ user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet((build) => ({ is_on: build.ref('second_factors.is_on') })))
    .execute()
}
