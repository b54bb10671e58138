import type { AccessTokenRow, SystemTokenRow } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Audit } from '../audit.ts'
import { deleteAccessToken, deleteSystemToken, findSystemToken, listAccessTokens } from './queries.ts'

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

/** The access tokens of any account, of both kinds. Callers check the rights. */
export interface AccountTokens {
  read(userId: number): Promise<{ readonly rows: AccessTokenRow[]; readonly system: SystemTokenRow }>
  /** @throws AppError not_found */
  remove(removal: Removal): Promise<void>
}

export function createAccountTokens({ db, audit }: { readonly db: Db; readonly audit: Audit }): AccountTokens {
  return {
    async read(userId) {
      const [rows, system] = await Promise.all([listAccessTokens(db, userId), findSystemToken(db, userId)])
      return { rows: rows.map(({ scopes, ...row }) => ({ ...row, scopes: scopes.split(',') })), system: system ?? null }
    },

    async remove({ actor, target, token }) {
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
  }
}

const noSuchToken = (): AppError => new AppError('not_found', { messageKey: 'no_such_access_token' })
