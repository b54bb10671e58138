import type { contract, ParsedInputOf } from '@sluice/contract'
import type { Updateable } from 'kysely'
import type { UserTable } from '../../db/schema.ts'
import { changeAt } from '../../ledger/change-at.ts'
import type { StoredUser } from './queries.ts'

export type UserEdit = ParsedInputOf<typeof contract.user.update>

/** The columns whose values an edit changes. Whatever else a form sends is no column of its own. */
export function changedColumns(
  stored: StoredUser,
  { username, display_name, email, group }: UserEdit,
): Pick<Updateable<UserTable>, 'username' | 'display_name' | 'email' | 'groups'> {
  const named = { username, display_name, email, groups: group }
  return Object.fromEntries(
    Object.entries(named).filter(([column, value]) => {
      // Holds: the keys are those of `named`, which are columns of the row.
      const before = stored[column as keyof typeof named]
      return value !== undefined && value !== null && value !== before
    }),
  )
}

/** Whether an edit changes what opens the account or recovers it. */
export function changesEntry(stored: StoredUser, { password, email }: UserEdit): boolean {
  return password !== '' || (email !== undefined && email !== null && email !== stored.email)
}

/** Whether an edit asks for another balance than the one its form was filled with. */
export function asksForQuota({ quota, quota_was }: UserEdit): boolean {
  return quota !== undefined && quota !== null && quota !== quota_was
}

/**
 * What an edit comes to at the balance there is now. A form's number is what the account should have had when the form was filled, so
 * what was spent or given since stays; `editsNow - quota_edits` is what edits have done since, this one among them if it came twice.
 */
export function quotaChange({ quota, quota_was, quota_edits }: UserEdit, editsNow: number, balance: number): number {
  const wanted = quota ?? balance
  if (quota_was === undefined || quota_was === null) return wanted - balance
  return changeAt(balance, wanted - quota_was - (editsNow - (quota_edits ?? editsNow)))
}
