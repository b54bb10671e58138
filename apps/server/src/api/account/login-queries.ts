import { userStatus } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { matchesUnique } from '../../db/matches-unique.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'

const callerColumns = ['users.id', 'users.username', 'users.role', 'users.status', 'users.groups', 'second_factors.is_on'] as const

/**
 * Finds an account by username or mail address. Addresses are verified and usernames are free, so a name that looks like an address
 * finds the account with that address first.
 */
export async function findLogin(db: Db, name: string) {
  const email = name.toLowerCase()
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'display_name', 'role', 'status', 'password_hash', 'default_password'])
    .where((build) => build.or([build('username', '=', name), matchesUnique('email', email)]))
    .where('status', '<>', userStatus.deleted)
    .orderBy((build) => build.case().when('email', '=', email).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst()
}

export async function findSelf(db: Db, id: number) {
  return await db
    .selectFrom('users')
    .select([
      'id',
      'username',
      'display_name',
      'role',
      'status',
      'email',
      'github_id',
      'google_id',
      'oidc_id',
      'wechat_id',
      'lark_id',
      'quota',
      'used_quota',
      'request_count',
      'groups',
      'aff_code',
      'inviter_id',
      'default_password',
      'password_hash',
    ])
    .select((build) =>
      build.selectFrom('second_factors').select('is_on').whereRef('second_factors.user_id', '=', 'users.id').as('second_factor'),
    )
    .select((build) =>
      build.selectFrom('setup_links').select('created_at').whereRef('setup_links.user_id', '=', 'users.id').as('setup_link'),
    )
    .where('id', '=', id)
    .executeTakeFirst()
}

/** An account as a login returns it, with its password hash; it must be enabled. */
export async function findForLogin(db: Db, id: number) {
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'display_name', 'role', 'status', 'password_hash'])
    .where('id', '=', id)
    .where('status', '=', userStatus.enabled)
    .executeTakeFirst()
}

/** Empty = the account has no password. */
export async function findPasswordHash(db: Db, id: number): Promise<string> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
  return row?.password_hash ?? ''
}

/** `false` = another account has the name. */
export async function renameUser(
  db: Db,
  id: number,
  names: { readonly username?: string; readonly display_name?: string },
): Promise<boolean> {
  if (Object.keys(names).length === 0) return true
  try {
    await db.updateTable('users').set(names).where('id', '=', id).execute()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

export async function setPassword(db: Db, id: number, passwordHash: string): Promise<void> {
  await db.updateTable('users').set({ password_hash: passwordHash, default_password: 0 }).where('id', '=', id).execute()
}

/** Replaces a hash of an old form, unless the password was changed meanwhile. */
export async function renewHash(db: Db, id: number, hashes: { readonly from: string; readonly to: string }): Promise<void> {
  await db.updateTable('users').set({ password_hash: hashes.to }).where('id', '=', id).where('password_hash', '=', hashes.from).execute()
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function insertRoot(
  db: Db,
  root: { readonly passwordHash: string; readonly isDefault: boolean; readonly accessTokenLookup: string | null; readonly now: number },
): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({
      username: 'root',
      display_name: 'Root User',
      password_hash: root.passwordHash,
      default_password: root.isDefault ? 1 : 0,
      role: 100,
      status: 1,
      access_token_lookup: root.accessTokenLookup,
      access_token_created_time: root.accessTokenLookup === null ? 0 : root.now,
      created_time: root.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The name of an account that still has the built-in first password. */
export async function findDefaultPassword(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('username').where('default_password', '=', sql.lit(1)).limit(1).executeTakeFirst()
  return row?.username
}

export async function insertSession(
  db: Db,
  session: {
    readonly id_hash: string
    readonly user_id: number
    readonly now: number
    readonly user_agent: string
    readonly address: string
    readonly way: string
  },
): Promise<void> {
  const { now, ...row } = session
  await db
    .insertInto('sessions')
    .values({ ...row, created_at: now, seen_at: now })
    .execute()
}

export async function findSession(db: Db, idHash: string) {
  return await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .select([...callerColumns, 'sessions.created_at', 'sessions.seen_at'])
    .where('sessions.id_hash', '=', idHash)
    .executeTakeFirst()
}

export async function findByAccessToken(db: Db, accessTokenLookup: string) {
  return await db
    .selectFrom('users')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .select([...callerColumns, 'users.access_token_used_time as used_time'])
    .where('users.access_token_lookup', '=', accessTokenLookup)
    .executeTakeFirst()
}

export async function findByPersonalToken(db: Db, lookup: string) {
  return await db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .leftJoin('second_factors', 'second_factors.user_id', 'users.id')
    .select([
      ...callerColumns,
      'access_tokens.id as token_id',
      'access_tokens.scopes',
      'access_tokens.expired_time',
      'access_tokens.used_time',
    ])
    .where('access_tokens.lookup', '=', lookup)
    .executeTakeFirst()
}

export async function touchSystemToken(db: Db, userId: number, now: number): Promise<void> {
  await db.updateTable('users').set({ access_token_used_time: now }).where('id', '=', userId).execute()
}

export async function touchPersonalToken(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('access_tokens').set({ used_time: now }).where('id', '=', id).execute()
}

export async function touchSession(db: Db, idHash: string, now: number): Promise<void> {
  await db.updateTable('sessions').set({ seen_at: now }).where('id_hash', '=', idHash).execute()
}

export async function deleteSession(db: Db, idHash: string): Promise<void> {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

export async function deleteStaleSessions(db: Db, limits: { readonly createdBefore: number; readonly seenBefore: number }): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((build) => build.or([build('created_at', '<', limits.createdBefore), build('seen_at', '<', limits.seenBefore)]))
    .execute()
}
