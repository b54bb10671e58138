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
  /** Empty = no password: the account has another way to log in. */
  readonly passwordHash: string
  /** Lower case and verified; empty = none. */
  readonly email: string
  /** The identity at the service through which it was created. */
  readonly identity?: { readonly [Column in 'github_id' | 'google_id' | 'oidc_id' | 'wechat_id' | 'lark_id']?: string }
  /** The inviter's code; an unknown one counts as none. */
  readonly inviteCode: string
  /** Further writes in the same transaction. */
  readonly alsoWrite?: (account: CreatedAccount, tx: Db) => Promise<void>
}

export interface CreatedAccount {
  readonly id: number
  readonly username: string
}

/** Creates an ordinary account. @throws AppError username_taken, email_taken, identity_taken */
export type CreateAccount = (account: NewAccount) => Promise<CreatedAccount>

interface CreateDeps {
  readonly db: Db
  readonly clock: Clock
  readonly settings: () => Settings
  readonly grants: Grants
  /** The first token of an account. */
  readonly firstToken: (userId: number) => Insertable<TokenTable>
}

/** 62^8 codes: with a million accounts one in 200 million random codes is taken. */
export const inviteCodeLength = 8

/** Tries to find a free invite code; more collisions in a row must have another cause. */
export const drawsMax = 5

/**
 * Used by registration, logins at other services and administrators. Account, first token and due grants are written in one transaction.
 * The grants are then posted to the ledger; if the process dies before that, the next start posts them.
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
  }: NewAccount): Promise<CreatedAccount | null> {
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
      const result: CreatedAccount | null = await insert(account)
      if (result !== null) {
        await grants.give()
        return result
      }
      const taken = await whatIsTaken(db, account)
      if (taken !== null) throw new AppError(taken)
    }
    throw new AppError('internal_error', { cause: new Error('every generated invite code is taken') })
  }
}
