import type { Db } from '../../db/connect.ts'
import { matchesUnique } from '../../db/matches-unique.ts'

/** Columns with the identities of an account at login services. */
export type IdentityColumn = 'github_id' | 'lark_id' | 'wechat_id'

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
