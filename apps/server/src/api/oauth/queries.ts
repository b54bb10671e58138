import type { Db } from '../../db/connect.ts'
import { matchesUnique } from '../../db/matches-unique.ts'

/** Columns with the identities of an account at login services. */
export type IdentityColumn = 'github_id' | 'google_id' | 'oidc_id' | 'lark_id' | 'wechat_id'

const accountColumns = ['id', 'username', 'display_name', 'role', 'status'] as const

export async function findByIdentity(db: Db, column: IdentityColumn, id: string) {
  return await db.selectFrom('users').select(accountColumns).where(matchesUnique(column, id)).executeTakeFirst()
}

/** A unique index refuses a second account that takes the identity at the same time. */
export async function setIdentity(db: Db, userId: number, identity: { readonly column: IdentityColumn | 'email'; readonly id: string }) {
  await db
    .updateTable('users')
    .set({ [identity.column]: identity.id })
    .where('id', '=', userId)
    .execute()
}

const waysIn = ['email', 'github_id', 'google_id', 'oidc_id', 'lark_id', 'wechat_id', 'password_hash'] as const

export async function findWaysIn(db: Db, userId: number) {
  return await db.selectFrom('users').select(waysIn).where('id', '=', userId).executeTakeFirst()
}

interface Cleared {
  readonly column: IdentityColumn | 'email'
  /** All ways in as they were checked. */
  readonly ways: { readonly [Column in (typeof waysIn)[number]]: string }
}

/** `false` = one of the ways in was changed since it was checked. */
export async function clearBinding(db: Db, userId: number, { column, ways }: Cleared): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ [column]: '' })
    .where('id', '=', userId)
    .where((build) => build.and(ways))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
