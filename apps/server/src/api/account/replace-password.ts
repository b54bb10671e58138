import type { Db } from '../../db/connect.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { AccountAccess } from '../account-access.ts'
import type { Audit } from '../audit.ts'
import { setPassword } from './login-queries.ts'

interface NewPassword {
  readonly password: string
  readonly revokesTokens: boolean
}

/** Sets a new password after a reset, and ends every session, and access tokens if so chosen, so that an intruder is logged out. */
export type ReplacePassword = (user: { readonly id: number; readonly username: string }, change: NewPassword) => Promise<void>

interface ReplaceDeps {
  readonly db: Db
  readonly passwords: Passwords
  readonly access: AccountAccess
  readonly audit: Audit
  /** Notifies the relay that an account has changed. */
  readonly changed: (userId: number) => void
}

export function createReplacePassword({ db, passwords, access, audit, changed }: ReplaceDeps): ReplacePassword {
  return async (user, { password, revokesTokens }) => {
    const { id, username } = user
    const hash = await passwords.hash(password)
    await db.transaction().execute(async (tx) => {
      await setPassword(tx, id, hash)
      await access.revoke(user, { actor: user, keptHash: null, hasTokens: revokesTokens }, tx)
      await audit({ actor: { id, username }, messageKey: 'log_password' }, tx)
    })
    changed(id)
  }
}
