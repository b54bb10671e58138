import type { Db } from './connect.ts'

/** Makes transactions that add rows to one account, and count those that it has, wait for each other. */
export async function lockAccount(db: Db, userId: number): Promise<void> {
  await db
    .updateTable('users')
    .set((build) => ({ status: build.ref('users.status') }))
    .where('id', '=', userId)
    .execute()
}
