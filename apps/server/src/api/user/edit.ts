import type { contract, ParsedInputOf } from '@sluice/contract'
import { changeAt } from '../../ledger/change-at.ts'
import type { StoredUser } from './queries.ts'

export type UserEdit = ParsedInputOf<typeof contract.user.update>

/** The columns whose values an edit changes. Other members of a form are ignored. */
export function changedColumns(
  stored: StoredUser,
  { username, display_name, email, group }: UserEdit,
): Partial<Pick<StoredUser, 'username' | 'display_name' | 'email' | 'groups'>> {
  const named = { username, display_name, email, groups: group }
  return Object.fromEntries(
    Object.entries(named).filter(([column, value]) => {
      // Holds: the keys are those of `named`, which are columns of the row.
      const before = stored[column as keyof typeof named]
      return value !== undefined && value !== null && value !== before
    }),
  )
}

/** Whether an edit changes the name, the credentials or the recovery address of the account. */
export function changesEntry(stored: StoredUser, edit: UserEdit): boolean {
  const { password, email } = edit
  return password !== '' || (email !== undefined && email !== null && email !== stored.email) || renames(stored, edit)
}

/** Whether an edit changes the name by which the owner logs in. */
export function renames(stored: StoredUser, { username }: UserEdit): boolean {
  return username !== undefined && username !== null && username !== stored.username
}

/**
 * The change of the present balance by an edit. The form's number changes the balance by its difference to the one that the form was
 * shown or sent last; `earlier` is the sum of its earlier changes.
 */
export function quotaChange({ quota, quota_was }: UserEdit, earlier: number, balance: number): number {
  const target = quota ?? balance
  if (quota_was === undefined || quota_was === null) return target - balance
  return changeAt(balance, target - quota_was - earlier)
}
