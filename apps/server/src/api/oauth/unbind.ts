import { type Binding, bindingColumns, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Audit } from '../audit.ts'
import { providers } from './providers.ts'
import { clearBinding, findWaysIn } from './queries.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

interface UnbindDeps {
  readonly db: Db
  readonly settings: () => Settings
  readonly audit: Audit
  readonly changed: (userId: number) => void
}

type WaysIn = NonNullable<Awaited<ReturnType<typeof findWaysIn>>>

/**
 * Removes a binding of an account unless nobody could log in to it afterwards; without one it does nothing.
 * @throws AppError last_login_method, user_changed_meanwhile
 */
export function createUnbind({ db, settings, audit, changed }: UnbindDeps) {
  return async (account: AccountName, way: Binding): Promise<void> => {
    const ways = await findWaysIn(db, account.id)
    const column = bindingColumns[way]
    if (ways === undefined || ways[column] === '') return
    if (!isOpen({ ...ways, [column]: '' }, settings())) throw new AppError('last_login_method')
    const isDone = await db.transaction().execute(async (tx) => {
      if (!(await clearBinding(tx, account.id, { column, ways }))) return false
      await audit({ actor: account, messageKey: 'log_unbound', params: { way } }, tx)
      return true
    })
    if (!isDone) throw new AppError('user_changed_meanwhile')
    changed(account.id)
  }
}

/** Whether somebody can log in to the account today: by a service that is on, a password, or one that is reset by mail. */
function isOpen(ways: WaysIn, options: Settings): boolean {
  const hasPassword = ways.password_hash !== '' || (ways.email !== '' && options.SMTPServer !== '')
  return (
    (options.PasswordLoginEnabled && hasPassword) ||
    Object.values(providers).some(({ column, isOn }) => ways[column] !== '' && isOn(options))
  )
}
