import type { Db } from '../../db/connect.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { Audit } from '../audit.ts'
import { setPassword } from './login-queries.ts'
import type { Sessions } from './sessions.ts'

/** Sets a new password after a reset, and ends every session, so that an intruder is logged out. */
export type ReplacePassword = (user: { readonly id: number; readonly username: string }, password: string) => Promise<void>

interface ReplaceDeps {
  readonly db: Db
  readonly passwords: Passwords
  readonly sessions: Sessions
  readonly audit: Audit
  /** Tells the relay that an account has changed. */
  readonly changed: (userId: number) => void
}

export function createReplacePassword({ db, passwords, sessions, audit, changed }: ReplaceDeps): ReplacePassword {
  return async ({ id, username }, password) => {
    const hash = await passwords.hash(password)
    await db.transaction().execute(async (tx) => {
      await setPassword(tx, id, hash)
      await sessions.endOthers(id, null, tx)
      await audit({ actor: { id, username }, messageKey: 'log_password' }, tx)
    })
    changed(id)
  }
}
