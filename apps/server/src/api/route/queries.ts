import type { Db } from '../../db/connect.ts'

/** The groups of an account, as they are stored; `null` = there is no such account. */
export async function findGroupsOf(db: Db, username: string): Promise<string | null> {
  const row = await db.selectFrom('users').select('groups').where('username', '=', username).executeTakeFirst()
  return row?.groups ?? null
}
