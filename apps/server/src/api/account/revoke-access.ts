import type { Db } from '../../db/connect.ts'
import { deleteAccessTokens } from '../access-token/queries.ts'
import type { Audit } from '../audit.ts'
import { deleteOtherSessions } from './login-queries.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

interface Revocation {
  readonly actor: AccountName
  /** Hash of the session that stays; `null` = none. */
  readonly keptHash: string | null
  /** Whether access tokens of both kinds are revoked too. */
  readonly hasTokens: boolean
}

/** Ends the access that an account has given: its sessions, and its access tokens if so chosen. A part of the transaction. */
export type RevokeAccess = (account: AccountName, revocation: Revocation, tx: Db) => Promise<void>

export function createRevokeAccess({ audit }: { readonly audit: Audit }): RevokeAccess {
  return async (target, { actor, keptHash, hasTokens }, tx) => {
    await deleteOtherSessions(tx, target.id, keptHash)
    const count = hasTokens ? await deleteAccessTokens(tx, target.id) : 0
    if (count > 0) await audit({ actor, target, messageKey: 'log_access_tokens_revoked', params: { count } }, tx)
  }
}
