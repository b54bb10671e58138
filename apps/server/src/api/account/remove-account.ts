import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Audit } from '../audit.ts'
import { deleteAccount } from './account-queries.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

/**
 * Deletes an account if it is unchanged since it was read. The caller has checked the rights.
 * @throws AppError user_changed_meanwhile
 */
export type RemoveAccount = (account: AccountName & { readonly role: number; readonly status: number }, actor: AccountName) => Promise<void>

interface RemoveDeps {
  readonly db: Db
  readonly audit: Audit
  readonly changed: (userId: number) => void
}

export function createRemoveAccount({ db, audit, changed }: RemoveDeps): RemoveAccount {
  return async ({ id, username, role, status }, actor) => {
    const nameAfter = `deleted_${id}_${randomBase62(8)}`
    const isDone = await db.transaction().execute(async (tx) => {
      if (!(await deleteAccount(tx, { id, role, status, nameAfter }))) return false
      await audit({ actor, target: { id, username }, messageKey: 'log_user_deleted' }, tx)
      return true
    })
    changed(id)
    if (!isDone) throw new AppError('user_changed_meanwhile')
  }
}
