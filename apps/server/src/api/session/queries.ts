import type { Db } from '../../db/connect.ts'

/** Most sessions that are shown. */
const rowsMax = 200

interface Limits {
  readonly createdAfter: number
  readonly seenAfter: number
}

/** The sessions of an account that have not expired, the last used one first. */
export async function listSessions(db: Db, userId: number, { createdAfter, seenAfter }: Limits) {
  return await db
    .selectFrom('sessions')
    .select(['id_hash', 'user_agent', 'address', 'way', 'created_at', 'seen_at'])
    .where('user_id', '=', userId)
    .where('created_at', '>=', createdAfter)
    .where('seen_at', '>=', seenAfter)
    .orderBy('seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(rowsMax)
    .execute()
}

/** The hashes of all sessions of an account. */
export async function listHashes(db: Db, userId: number): Promise<readonly string[]> {
  const rows = await db.selectFrom('sessions').select('id_hash').where('user_id', '=', userId).execute()
  return rows.map(({ id_hash }) => id_hash)
}

/** @returns the address that it began at; `undefined` = the account has no such session */
export async function deleteOwnSession(db: Db, userId: number, idHash: string): Promise<string | undefined> {
  const row = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '=', idHash)
    .returning('address')
    .executeTakeFirst()
  return row?.address
}

/** @returns how many */
export async function deleteOthers(db: Db, userId: number, keptHash: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', keptHash)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
