import { tokenStatus, userStatus } from '@sluice/contract'
import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { matchesUnique } from '../../db/matches-unique.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import type { GrantDueTable, TokenTable, UserTable } from '../../db/schema.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'

/** The account with this invite code that may be rewarded. */
export async function findInviter(db: Db, inviteCode: string) {
  return await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where(matchesUnique('aff_code', inviteCode))
    .where('status', '=', userStatus.enabled)
    .executeTakeFirst()
}

interface AccountRow extends Insertable<UserTable> {
  readonly firstToken: (userId: number) => Insertable<TokenTable>
  readonly gifts: (userId: number) => readonly GrantDueTable[]
}

/** Inside a transaction. `null` = a unique value belongs to another account. */
export async function insertAccount(db: Db, { firstToken, gifts, ...account }: AccountRow): Promise<number | null> {
  const row = await db
    .insertInto('users')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) return null
  await db.insertInto('tokens').values(firstToken(row.id)).execute()
  const due = gifts(row.id)
  if (due.length > 0) {
    await db
      .insertInto('grants_due')
      .values([...due])
      .execute()
  }
  return row.id
}

const identityColumns = ['github_id', 'google_id', 'oidc_id', 'wechat_id', 'lark_id'] as const

/** The error for the first value that another account has already; `null` = none. */
export async function whatIsTaken(
  db: Db,
  account: { readonly username: string; readonly email: string; readonly identity?: Readonly<Record<string, string>> },
): Promise<'username_taken' | 'email_taken' | 'identity_taken' | null> {
  const has = async (column: 'username' | 'email' | (typeof identityColumns)[number], value: string | undefined): Promise<boolean> =>
    value !== undefined &&
    value !== '' &&
    (await db
      .selectFrom('users')
      .select('id')
      .where(column === 'username' ? sql<boolean>`username = ${value}` : matchesUnique(column, value))
      .limit(1)
      .executeTakeFirst()) !== undefined
  if (await has('username', account.username)) return 'username_taken'
  if (await has('email', account.email)) return 'email_taken'
  for (const column of identityColumns) {
    if (await has(column, account.identity?.[column])) return 'identity_taken'
  }
  return null
}

/** The grant to the inviter of an account; see `giftsOf`. */
const inviteGrant = sql<string>`'invite:' || CAST(users.id AS TEXT)`

/** Accounts that registered by an invitation, with what the inviter received for each. */
export async function listInvited(db: Db, inviterId: number, page: Page) {
  const query = db
    .selectFrom('users')
    .select(['users.id', 'users.username', 'users.status', 'users.created_time'])
    .select((build) =>
      build
        .selectFrom('ledger')
        .select('ledger.amount')
        .where('ledger.ref', '=', inviteGrant)
        .where('ledger.kind', '=', 'grant')
        .where('ledger.user_id', '=', inviterId)
        .as('earned'),
    )
    .where('users.inviter_id', '=', inviterId)
    // Lets SQLite use the partial index of invited accounts.
    .where('users.inviter_id', '>', sql.lit(0))
  return await onePage(query, 'users', { page, order: ['id'] }).execute()
}

export async function sumInvited(db: Db, inviterId: number): Promise<{ readonly count: number; readonly earned: number }> {
  const { count, earned } = await db
    .selectFrom('users')
    .leftJoin('ledger', (join) =>
      join.on('ledger.ref', '=', inviteGrant).on('ledger.kind', '=', 'grant').onRef('users.inviter_id', '=', 'ledger.user_id'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number | null>('ledger.amount').as('earned')])
    .where('users.inviter_id', '=', inviterId)
    .where('users.inviter_id', '>', sql.lit(0))
    .executeTakeFirstOrThrow()
  return { count, earned: earned ?? 0 }
}

/** Unposted grants, oldest first. */
export async function listGrants(db: Db) {
  return await db
    .selectFrom('grants_due')
    .innerJoin('users', 'users.id', 'grants_due.user_id')
    .select(['grants_due.ref', 'grants_due.user_id', 'grants_due.amount', 'grants_due.content', 'grants_due.created_at', 'users.username'])
    .orderBy('grants_due.created_at')
    .limit(1000)
    .execute()
}

export async function deleteGrant(db: Db, ref: string): Promise<void> {
  await db.deleteFrom('grants_due').where('ref', '=', ref).execute()
}

/**
 * Deletes an account, unless its role or status was changed meanwhile. Its address and identities are released, so that the person can
 * register again; its credentials are removed. The row stays, because ledger entries and log rows refer to it. In a transaction.
 */
export async function deleteAccount(
  db: Db,
  account: { readonly id: number; readonly role: number; readonly status: number; readonly nameAfter: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({
      username: account.nameAfter,
      display_name: '',
      password_hash: '',
      default_password: 0,
      email: '',
      github_id: '',
      wechat_id: '',
      lark_id: '',
      google_id: '',
      oidc_id: '',
      aff_code: '',
      access_token_lookup: null,
      access_token_created_time: 0,
      access_token_used_time: 0,
      status: userStatus.deleted,
    })
    .where('id', '=', account.id)
    .where('role', '=', account.role)
    .where('status', '=', account.status)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await db.updateTable('tokens').set({ status: tokenStatus.disabled }).where('user_id', '=', account.id).execute()
  for (const table of ['sessions', 'second_factors', 'recovery_codes', 'passkeys', 'access_tokens'] as const) {
    await db.deleteFrom(table).where('user_id', '=', account.id).execute()
  }
  return true
}

export async function findInviteCode(db: Db, id: number): Promise<string> {
  const row = await db.selectFrom('users').select('aff_code').where('id', '=', id).executeTakeFirst()
  return row?.aff_code ?? ''
}

/** Keeps an existing code. If another account has the new code, this account has none afterwards. */
export async function setInviteCode(db: Db, id: number, inviteCode: string): Promise<void> {
  try {
    await db.updateTable('users').set({ aff_code: inviteCode }).where('id', '=', id).where('aff_code', '=', '').execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}
