import { redemptionStatus, userStatus } from '@sluice/contract'
import { sql } from 'kysely'
import { endAccess } from '../api/access-queries.ts'
import type { Db } from '../db/connect.ts'
import { lockKey } from '../db/installation-keys.ts'
import { isPostgres } from '../db/is-postgres.ts'

/** What a store says of its master key. */
export interface StoredKey {
  readonly fingerprint: string
  /** Empty = as in the first versions. */
  readonly derivation: string
}

/** `null` = nothing was stored. */
export async function readStoredKey(db: Db): Promise<StoredKey | null> {
  return (await db.selectFrom('master_key').select(['fingerprint', 'derivation']).executeTakeFirst()) ?? null
}

/** What a copy says, also one of a version that stored only a fingerprint, or nothing. */
export async function readCopiedKey(db: Db): Promise<StoredKey | null> {
  const readFirst = async (): Promise<StoredKey | null> => {
    const row = await db.selectFrom('master_key').select('fingerprint').executeTakeFirst()
    return row === undefined ? null : { ...row, derivation: '' }
  }
  return await readStoredKey(db).catch(() => readFirst().catch(() => null))
}

/** Whether anybody has used the store. */
export async function hasAccounts(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Stores the first master key of a store, whoever of several nodes that start at once comes first. @returns the stored one */
export async function claimMasterKey(db: Db, key: StoredKey): Promise<StoredKey> {
  return await db.transaction().execute(async (tx) => {
    if (isPostgres(tx)) await sql`SELECT pg_advisory_xact_lock(${sql.raw(lockKey('first-key'))})`.execute(tx)
    const stored = await readStoredKey(tx)
    if (stored === null) await tx.insertInto('master_key').values(key).execute()
    return stored ?? key
  })
}

export async function saveStoredKey(db: Db, key: StoredKey): Promise<void> {
  await db.deleteFrom('master_key').execute()
  await db.insertInto('master_key').values(key).execute()
}

const accountColumns = [
  'id',
  'username',
  'role',
  'status',
  'email',
  'github_id',
  'google_id',
  'oidc_id',
  'wechat_id',
  'lark_id',
  'password_hash',
  'default_password',
  'access_token_lookup',
] as const

/** A page of accounts that have not been deleted. */
export async function listAccounts(db: Db, { after, limit }: { readonly after: number; readonly limit: number }) {
  return await db
    .selectFrom('users')
    .select(accountColumns)
    .where('id', '>', after)
    .where('status', '<>', userStatus.deleted)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function findAccount(db: Db, username: string) {
  return await db
    .selectFrom('users')
    .select(accountColumns)
    .where('username', '=', username)
    .where('status', '<>', userStatus.deleted)
    .executeTakeFirst()
}

export interface AccessChoice {
  /** Whether access tokens of both kinds stay. */
  readonly keepsTokens: boolean
}

/** Sets a password and ends the access of the account, all or nothing. */
export async function resetPassword(
  db: Db,
  id: number,
  { passwordHash, keepsTokens }: AccessChoice & { readonly passwordHash: string },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('users').set({ password_hash: passwordHash, default_password: 0 }).where('id', '=', id).execute()
    await endAccess(trx, id, { keptHash: null, hasTokens: !keepsTokens })
  })
}

export async function readOption(db: Db, key: string): Promise<string | null> {
  return (await db.selectFrom('options').select('value').where('key', '=', key).executeTakeFirst())?.value ?? null
}

interface Page {
  readonly after: number
  readonly limit: number
}

/** Rows of tokens or redemption codes, whose keys are sealed and looked up in the same way. */
export async function listKeys(db: Db, table: 'tokens' | 'redemptions', { after, limit }: Page) {
  return await db.selectFrom(table).select(['id', 'key_lookup', 'key_sealed']).where('id', '>', after).orderBy('id').limit(limit).execute()
}

/** Rows whose key is still good for something, by the same columns as `listKeys`. */
export async function listUsableKeys(db: Db, table: 'tokens' | 'redemptions', { after, limit }: Page) {
  const rows = db.selectFrom(table).select(['id', 'key_lookup', 'key_sealed']).where('id', '>', after).orderBy('id').limit(limit)
  return await (table === 'tokens' ? rows : rows.where('status', '<>', redemptionStatus.used)).execute()
}

export async function saveKey(
  db: Db,
  table: 'tokens' | 'redemptions',
  { id, ...sealed }: { readonly id: number; readonly key_lookup: string; readonly key_sealed: string },
): Promise<void> {
  await db.updateTable(table).set(sealed).where('id', '=', id).execute()
}

export async function listChannelSecrets(db: Db, { after, limit }: Page) {
  return await db
    .selectFrom('channels')
    .select(['id', 'key_sealed', 'config_sealed', 'settings_sealed'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export async function saveChannelSecrets(
  db: Db,
  { id, ...sealed }: { readonly id: number; readonly key_sealed: string; readonly config_sealed: string; readonly settings_sealed: string },
): Promise<void> {
  await db.updateTable('channels').set(sealed).where('id', '=', id).execute()
}

export async function listTaskTexts(db: Db, { after, limit }: Page) {
  return await db
    .selectFrom('tasks')
    .select(['id', 'public_id', 'upstream_sealed', 'order_sealed', 'result_sealed'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}

interface TaskSecrets {
  readonly upstream_sealed: string
  readonly order_sealed: string
  readonly result_sealed: string
}

export async function saveTaskTexts(db: Db, id: number, sealed: TaskSecrets): Promise<void> {
  await db.updateTable('tasks').set(sealed).where('id', '=', id).execute()
}

export async function listTaskContents(db: Db) {
  return await db.selectFrom('task_contents').select(['task_id', 'place']).orderBy('task_id').orderBy('place').execute()
}

export async function readTaskContent(db: Db, taskId: string, place: number): Promise<string> {
  const query = db.selectFrom('task_contents').select('content_sealed').where('task_id', '=', taskId).where('place', '=', place)
  return (await query.executeTakeFirstOrThrow()).content_sealed
}

/** What was set aside with a task, whose result may be in its operation. */
export async function listTaskAsides(db: Db) {
  return await db.selectFrom('ledger_set_aside').select(['id', 'task_id']).where('task_id', '<>', '').orderBy('id').execute()
}

export async function readAsideOperation(db: Db, id: number): Promise<string> {
  return (await db.selectFrom('ledger_set_aside').select('operation').where('id', '=', id).executeTakeFirstOrThrow()).operation
}

export async function saveAsideOperation(db: Db, id: number, operation: string): Promise<void> {
  await db.updateTable('ledger_set_aside').set({ operation }).where('id', '=', id).execute()
}

interface TaskContent {
  readonly task_id: string
  readonly place: number
  readonly content_sealed: string
}

export async function saveTaskContent(db: Db, { task_id, place, content_sealed }: TaskContent): Promise<void> {
  await db.updateTable('task_contents').set({ content_sealed }).where('task_id', '=', task_id).where('place', '=', place).execute()
}

/** Replaces the look-up values of channel keys in stored responses, which are found by the key that made them. */
export async function renameKeptResponses(
  db: Db,
  { channelId, from, to }: { readonly channelId: number; readonly from: string; readonly to: string },
): Promise<void> {
  await db.updateTable('kept_answers').set({ key_lookup: to }).where('channel_id', '=', channelId).where('key_lookup', '=', from).execute()
}

/** Parts of responses that are stored here. */
export async function listItems(
  db: Db,
  { after: { userId, id }, limit }: { readonly after: { readonly userId: number; readonly id: string }; readonly limit: number },
) {
  return await db
    .selectFrom('kept_answers')
    .select(['user_id', 'id', 'item_sealed'])
    .where('item_sealed', 'is not', null)
    .where(({ eb, or, and }) => or([eb('user_id', '>', userId), and([eb('user_id', '=', userId), eb('id', '>', id)])]))
    .orderBy('user_id')
    .orderBy('id')
    .limit(limit)
    .execute()
}

interface SealedItem {
  readonly userId: number
  readonly id: string
  readonly sealed: string
}

export async function saveItem(db: Db, { userId, id, sealed }: SealedItem): Promise<void> {
  await db.updateTable('kept_answers').set({ item_sealed: sealed }).where('user_id', '=', userId).where('id', '=', id).execute()
}

/** Deletes encrypted texts: only their hashes are stored, which cannot be converted to another master key. */
export async function dropEncryptedTexts(db: Db): Promise<void> {
  await db.deleteFrom('kept_answers').where('id', 'like', 'encrypted:%').execute()
}

export async function saveSealedOption(db: Db, key: string, value: string): Promise<void> {
  await db.updateTable('options').set({ value }).where('key', '=', key).execute()
}

/** Accounts with a system access token. */
export async function listAccessTokens(db: Db) {
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'access_token_lookup'])
    .where('access_token_lookup', 'is not', null)
    .orderBy('id')
    .execute()
}

export async function saveAccessToken(db: Db, id: number, lookup: string): Promise<void> {
  await db.updateTable('users').set({ access_token_lookup: lookup }).where('id', '=', id).execute()
}

/** Deletes codes and counters: they live for minutes, and their keys are hashed with the old master key. */
export async function dropShortLived(db: Db): Promise<void> {
  await db.deleteFrom('codes').execute()
  await db.deleteFrom('counters').execute()
}

/** Accounts with an authenticator app. */
export async function listAppSecrets(db: Db) {
  return await db.selectFrom('second_factors').select(['user_id', 'app_sealed']).where('app_sealed', '<>', '').execute()
}

export async function saveAppSecret(db: Db, userId: number, sealed: string): Promise<void> {
  await db.updateTable('second_factors').set({ app_sealed: sealed }).where('user_id', '=', userId).execute()
}

export async function countPersonalTokens(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('access_tokens')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Accounts with recovery codes. */
export async function listRecoveryCodeOwners(db: Db) {
  const owners = db.selectFrom('recovery_codes').select('user_id')
  return await db.selectFrom('users').select('username').where('id', 'in', owners).orderBy('id').execute()
}

/** Deletes personal access tokens and recovery codes: only their hashes are stored. */
export async function dropHashedCredentials(db: Db): Promise<void> {
  await db.deleteFrom('access_tokens').execute()
  await db.deleteFrom('recovery_codes').execute()
}

/** Removes every second factor and passkey of an account, and ends its access, all or nothing. */
export async function clearSecondFactor(db: Db, id: number, { keepsTokens }: AccessChoice): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const table of ['second_factors', 'recovery_codes', 'passkeys'] as const) {
      await trx.deleteFrom(table).where('user_id', '=', id).execute()
    }
    await endAccess(trx, id, { keptHash: null, hasTokens: !keepsTokens })
  })
}

/** Rules of notifications that have an address and a secret. */
export async function listWebhooks(db: Db) {
  return await db
    .selectFrom('notification_rules')
    .select(['id', 'url_sealed', 'secret_sealed'])
    .where('target', '=', 'webhook')
    .orderBy('id')
    .execute()
}

export async function saveWebhook(
  db: Db,
  { id, ...sealed }: { readonly id: number; readonly url_sealed: string; readonly secret_sealed: string },
): Promise<void> {
  await db.updateTable('notification_rules').set(sealed).where('id', '=', id).execute()
}
