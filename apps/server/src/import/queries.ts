import { role, userStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { ChannelTable, RedemptionTable, TokenTable, UserTable } from '../db/schema.ts'

/** The record of an imported row. */
export interface ImportedRow {
  readonly source: string
  readonly kind: 'user' | 'token' | 'channel' | 'redemption'
  readonly source_id: number
  readonly target_id: number
  readonly used_quota: number
}

/** Unique values of existing accounts. */
export async function listClaimedInvitations(db: Db) {
  return await db
    .selectFrom('users')
    .select(['username', 'email', 'github_id', 'wechat_id', 'lark_id', 'aff_code', 'access_token_lookup as access_token'])
    .execute()
}

export async function findRoot(db: Db): Promise<number | null> {
  const row = await db.selectFrom('users').select('id').where('role', '=', role.root).orderBy('id').limit(1).executeTakeFirst()
  return row?.id ?? null
}

/** Imported rows of a source, including those that have been deleted here since. */
export async function listImported(db: Db, source: string, kind: string) {
  return await db.selectFrom('imported').select(['source_id', 'target_id']).where('source', '=', source).where('kind', '=', kind).execute()
}

/** Accounts that have not been deleted. */
export async function listUserIds(db: Db): Promise<readonly number[]> {
  return (await db.selectFrom('users').select('id').where('status', '<>', userStatus.deleted).execute()).map(({ id }) => id)
}

/** Look-up values of every token key here. */
export async function listTokenLookups(db: Db): Promise<readonly string[]> {
  return (await db.selectFrom('tokens').select('key_lookup').execute()).map((row) => row.key_lookup)
}

export async function listRedemptionLookups(db: Db): Promise<readonly string[]> {
  return (await db.selectFrom('redemptions').select('key_lookup').execute()).map((row) => row.key_lookup)
}

/** The source of each imported key. */
export async function listTokenOrigins(db: Db) {
  return await db
    .selectFrom('imported')
    .innerJoin('tokens', 'tokens.id', 'imported.target_id')
    .select(['imported.source', 'imported.source_id', 'tokens.key_lookup'])
    .where('imported.kind', '=', 'token')
    .execute()
}

/** Balances that imports have posted. */
export async function listPosted(db: Db) {
  return await db.selectFrom('ledger').select(['ref', 'amount']).where('kind', '=', 'import').execute()
}

export async function insertUser(db: Db, user: Insertable<UserTable>): Promise<number> {
  return (await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()).id
}

/** Adds the counters of an account that is merged into this one. */
export async function addToCounters(
  db: Db,
  id: number,
  counters: { readonly used_quota: number; readonly request_count: number },
): Promise<void> {
  await db
    .updateTable('users')
    .set((build) => ({
      used_quota: build('used_quota', '+', counters.used_quota),
      request_count: build('request_count', '+', counters.request_count),
    }))
    .where('id', '=', id)
    .execute()
}

export async function insertToken(db: Db, token: Insertable<TokenTable>): Promise<number> {
  return (await db.insertInto('tokens').values(token).returning('id').executeTakeFirstOrThrow()).id
}

/** Inserts a channel with the key that is sealed for its id. */
export async function insertChannel(
  db: Db,
  channel: Omit<Insertable<ChannelTable>, 'key_sealed'>,
  { usedQuota, sealKey }: { readonly usedQuota: number; readonly sealKey: (id: number) => string },
): Promise<number> {
  const { id } = await db
    .insertInto('channels')
    .values({ ...channel, key_sealed: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('channels')
    .set({ key_sealed: sealKey(id) })
    .where('id', '=', id)
    .execute()
  await db.insertInto('channel_usage').values({ channel_id: id, used_quota: usedQuota }).execute()
  return id
}

export async function insertRedemption(db: Db, code: Insertable<RedemptionTable>): Promise<number> {
  return (await db.insertInto('redemptions').values(code).returning('id').executeTakeFirstOrThrow()).id
}

export async function insertImported(db: Db, imported: ImportedRow): Promise<void> {
  await db.insertInto('imported').values(imported).execute()
}

/** The last imported log id of a source; 0 = none. */
export async function readLogMark(db: Db, source: string): Promise<number> {
  return (await listImported(db, source, 'log'))[0]?.target_id ?? 0
}

export async function saveLogMark(db: Db, source: string, lastId: number): Promise<void> {
  await db
    .insertInto('imported')
    .values({ source, kind: 'log', source_id: 0, target_id: lastId })
    .onConflict((conflict) => conflict.columns(['source', 'kind', 'source_id']).doUpdateSet({ target_id: lastId }))
    .execute()
}

/** Those of the requests that have a log row. */
export async function listLoggedRequests(db: Db, requestIds: readonly string[]): Promise<readonly string[]> {
  const rows = await db.selectFrom('logs').select('request_id').where('request_id', 'in', requestIds).execute()
  return rows.map((row) => row.request_id)
}

export async function listOptionKeys(db: Db): Promise<readonly string[]> {
  return (await db.selectFrom('options').select('key').execute()).map(({ key }) => key)
}

/** Copies all options into a database that has none. */
export async function copyOptions(from: Db, to: Db): Promise<void> {
  const rows = await from.selectFrom('options').selectAll().execute()
  if (rows.length > 0) await to.insertInto('options').values(rows).execute()
}

export async function listTableNames(db: Db): Promise<readonly string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name)
}
