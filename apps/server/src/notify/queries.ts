import { role, userStatus } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'

/** Maximum number of root accounts that are notified. */
const rootsMax = 5

export async function listRootAddresses(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('users')
    .select('email')
    .where('role', '>=', sql.lit(role.root))
    .where('status', '=', userStatus.enabled)
    .where('email', '<>', '')
    .orderBy('id')
    .limit(rootsMax)
    .execute()
  return rows.map(({ email }) => email)
}

/** Empty: the account has no address or is not enabled. */
export async function findAddress(db: Db, userId: number): Promise<string> {
  const row = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .where('status', '=', userStatus.enabled)
    .executeTakeFirst()
  return row?.email ?? ''
}
