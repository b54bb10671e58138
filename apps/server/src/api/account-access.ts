import type { AccessTokenRow, SystemTokenRow } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { deleteAccessToken, deleteSystemToken, endAccess, findSystemToken, listAccessTokens } from './access-queries.ts'
import type { Audit } from './audit.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

interface Removal {
  readonly actor: AccountName
  readonly target: AccountName
  /** Id of a personal access token, or the system access token. */
  readonly token: number | 'system'
}

interface Revocation {
  readonly actor: AccountName
  /** Hash of the session that stays; `null` = none. */
  readonly keptHash: string | null
  /** Whether access tokens of both kinds are revoked too. */
  readonly hasTokens: boolean
}

/** By what an account can be entered without a login: its sessions, and its access tokens of both kinds. Callers check the rights. */
export interface AccountAccess {
  tokens(userId: number): Promise<{ readonly rows: AccessTokenRow[]; readonly system: SystemTokenRow }>
  /** @throws AppError not_found */
  removeToken(removal: Removal): Promise<void>
  /** Ends the sessions, and revokes the access tokens if so chosen. A part of the transaction. */
  revoke(target: AccountName, revocation: Revocation, tx: Db): Promise<void>
}

export function createAccountAccess({ db, audit }: { readonly db: Db; readonly audit: Audit }): AccountAccess {
  return {
    async tokens(userId) {
      const [rows, system] = await Promise.all([listAccessTokens(db, userId), findSystemToken(db, userId)])
      return { rows: rows.map(({ scopes, ...row }) => ({ ...row, scopes: scopes.split(',') })), system: system ?? null }
    },

    async removeToken({ actor, target, token }) {
      await db.transaction().execute(async (tx) => {
        if (token === 'system') {
          if (!(await deleteSystemToken(tx, target.id))) throw noSuchToken()
          return await audit({ actor, target, messageKey: 'log_system_token_removed' }, tx)
        }
        const name = await deleteAccessToken(tx, target.id, token)
        if (name === undefined) throw noSuchToken()
        await audit({ actor, target, messageKey: 'log_personal_token_removed', params: { name } }, tx)
      })
    },

    async revoke(target, { actor, ...choice }, tx) {
      const count = await endAccess(tx, target.id, choice)
      if (count > 0) await audit({ actor, target, messageKey: 'log_access_tokens_revoked', params: { count } }, tx)
    },
  }
}

const noSuchToken = (): AppError => new AppError('not_found', { messageKey: 'no_such_access_token' })
