import { role, type Settings, userStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { TokenTable } from '../../db/schema.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/id.ts'
import { findInviter, insertAccount, whatIsTaken } from './account-queries.ts'
import { type Grants, giftsOf } from './grants.ts'

export interface NewAccount {
  readonly username: string
  readonly displayName: string
  /** Empty: this account has another way to log in. */
  readonly passwordHash: string
  /** In small letters and proven to be theirs; empty = none. */
  readonly email: string
  /** The way to log in that it was made by. */
  readonly identity?: { readonly github_id?: string; readonly wechat_id?: string; readonly lark_id?: string }
  /** The inviter's; one that nobody has counts as none. */
  readonly inviteCode: string
  /** What is written with it, in one transaction. */
  readonly alsoWrite?: (made: MadeAccount, tx: Db) => Promise<void>
}

export interface MadeAccount {
  readonly id: number
  readonly username: string
}

/** Makes an ordinary account. @throws AppError username_taken, email_taken, identity_taken */
export type CreateAccount = (account: NewAccount) => Promise<MadeAccount>

interface CreateDeps {
  readonly db: Db
  readonly clock: Clock
  readonly settings: () => Settings
  readonly grants: Grants
  /** The token that an account begins with. */
  readonly firstToken: (userId: number) => Insertable<TokenTable>
}

/** 62^8 codes: at a million accounts one in 200 million draws is taken. */
export const inviteCodeLength = 8

/** Draws of an invite code before something else must be wrong. */
export const drawsMax = 5

/**
 * One way for registration, other services and administrators. Account, first token and what is owed in gifts are one transaction;
 * the gifts then pass through the ledger, and those of a process that died there are given at the next start.
 */
export function createAccounts({ db, clock, settings, grants, firstToken }: CreateDeps): CreateAccount {
  async function insert({
    username,
    displayName,
    passwordHash,
    email,
    identity,
    inviteCode,
    alsoWrite,
  }: NewAccount): Promise<MadeAccount | null> {
    const now = nowSeconds(clock)
    return await db.transaction().execute(async (trx) => {
      const inviter = inviteCode === '' ? undefined : await findInviter(trx, inviteCode)
      const id = await insertAccount(trx, {
        username,
        display_name: displayName || username,
        password_hash: passwordHash,
        email,
        ...identity,
        role: role.user,
        status: userStatus.enabled,
        access_token_lookup: null,
        aff_code: randomBase62(inviteCodeLength),
        inviter_id: inviter?.id ?? 0,
        created_time: now,
        firstToken,
        gifts: (userId) => giftsOf({ id: userId, username }, inviter ?? null, settings()).map((gift) => ({ ...gift, created_at: now })),
      })
      if (id === null) return null
      await alsoWrite?.({ id, username }, trx)
      return { id, username }
    })
  }

  return async (account) => {
    for (let draw = 0; draw < drawsMax; draw++) {
      const made: MadeAccount | null = await insert(account)
      if (made !== null) {
        await grants.give()
        return made
      }
      const taken = await whatIsTaken(db, account)
      if (taken !== null) throw new AppError(taken)
    }
    throw new AppError('internal_error', { cause: new Error('every invite code that was drawn is taken') })
  }
}
