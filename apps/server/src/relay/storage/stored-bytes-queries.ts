import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** Copies of results of tasks, and the content of stored responses. */
export type StoredKind = 'results' | 'responses'

/** The bytes that an account stores; `null`: that all accounts store, which is a sum of one row for each of them. */
export async function storedBytes(db: Db, kind: StoredKind, userId: number | null): Promise<number> {
  const sum = sql<number>`coalesce(sum(bytes), 0)`.as('bytes')
  const row = await db
    .selectFrom('stored_bytes')
    .select(sum)
    .where('kind', '=', kind)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId))
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}
