import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** Written out, because SQLite takes an index of some rows only for a condition that it can read. */
const hasContent = sql<boolean>`bytes > 0`

/** The oldest content of an account; `null`: of all accounts. */
export async function oldestContent(db: Db, userId: number | null, limit: number) {
  return await db
    .selectFrom('kept_answers')
    .select(['user_id', 'id', 'bytes'])
    .where(hasContent)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export async function deleteContent(db: Db, userId: number, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('kept_answers').where('user_id', '=', userId).where('id', 'in', ids).execute()
}
