import { type DataOf, type InputOf, user } from '@sluice/contract'
import type { Resolver } from 'react-hook-form'
import { splitNames } from '../../lib/text.ts'
import { inputResolver } from '../../lib/use-input-form.ts'

export type StoredUser = DataOf<typeof user.get>
export type UserInput = InputOf<typeof user.update>

/** The form's values. */
export interface UserValues {
  readonly username: string
  readonly display_name: string
  /** Empty = unchanged. */
  readonly password: string
  /** The administrator's own password, for a change of the own account. */
  readonly current_password: string
  readonly revoke_access_tokens: boolean
  readonly group: readonly string[]
  /** As typed. */
  readonly quota: string
}

export function valuesOf({ username, display_name, group, quota }: StoredUser): UserValues {
  return {
    username,
    display_name,
    password: '',
    current_password: '',
    revoke_access_tokens: true,
    group: splitNames(group),
    quota: String(quota),
  }
}

/** A balance can be below 0. */
function parseBalance(text: string): number {
  const digits = text.replace(/[\s,]/g, '')
  return /^-?\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN
}

export function resolverFor(stored: StoredUser | null): Resolver<UserValues, unknown, UserInput> {
  return inputResolver<UserValues, UserInput>(user.update, ({ quota, group, ...values }) => ({
    ...values,
    id: stored?.id,
    group: group.join(','),
    quota: parseBalance(quota),
    quota_was: stored?.quota_was,
    form_id: stored?.form_id,
  }))
}

/** The changed fields. The balance is sent with the value that the form showed, so that the server can apply the difference. */
export function changesOf(stored: StoredUser, { quota, quota_was, form_id, ...input }: UserInput): UserInput {
  const before: Readonly<Record<string, unknown>> = {
    ...stored,
    group: splitNames(stored.group).join(','),
    current_password: '',
    revoke_access_tokens: true,
  }
  const changed = Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== before[name]))
  return { ...changed, id: stored.id, ...(quota !== stored.quota && { quota, quota_was, form_id }) }
}
