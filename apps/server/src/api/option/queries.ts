import { logType } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { isPostgres } from '../../db/is-postgres.ts'

interface StoredOption {
  readonly key: string
  readonly value: string
  readonly set_by_role: number
  readonly pending: string | null
  readonly pending_by: number
}

export async function listStoredOptions(db: Db) {
  return await db.selectFrom('options').select(['key', 'value', 'set_by_role', 'pending', 'pending_by']).execute()
}

/** In a transaction: nobody else changes an option until it ends. On SQLite every transaction excludes other writers from its beginning. */
export async function lockOptions(tx: Db): Promise<void> {
  if (isPostgres(tx)) await sql`LOCK TABLE options IN SHARE ROW EXCLUSIVE MODE`.execute(tx)
}

/** In a transaction: saves all options or none. */
export async function saveOptions(db: Db, options: readonly StoredOption[]): Promise<void> {
  await db
    .insertInto('options')
    .values(options)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((build) => ({
        value: build.ref('excluded.value'),
        set_by_role: build.ref('excluded.set_by_role'),
        pending: build.ref('excluded.pending'),
        pending_by: build.ref('excluded.pending_by'),
      })),
    )
    .execute()
}

/** Audit rows that are read to find out who changed which option last. */
const changesMax = 2_000

/** Newest first. */
export async function listOptionChanges(db: Db) {
  return await db
    .selectFrom('logs')
    .select(['detail', 'created_at'])
    .where('type', '=', logType.admin)
    // Lets SQLite use the partial index of the rare types.
    .where('type', '<>', sql.lit(logType.consume))
    .where((build) => build.or([build('detail', 'like', '{"code":"log_option"%'), build('detail', 'like', '{"code":"log_model_price"%')]))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(changesMax)
    .execute()
}

export async function emailOf(db: Db, userId: number): Promise<string> {
  const row = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  return row?.email ?? ''
}
