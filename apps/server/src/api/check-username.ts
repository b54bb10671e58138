import { isTrustedUsername, usernameProblem } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { mayUseTrustedNames } from './authorize.ts'

interface Rename {
  readonly from: string
  /** Missing or null = the name stays. */
  readonly to: string | null | undefined
  /** Who changes the name. */
  readonly by: { readonly role: number }
}

/** Checks a name that is changed. One that stays is not checked, so that accounts with older names can be edited. @throws AppError username_invalid */
export function checkRename({ from, to, by }: Rename): void {
  if (to === undefined || to === null || to === from) return
  const problem = usernameProblem(to) ?? (isTrustedUsername(to) && !mayUseTrustedNames(by) ? 'username_reserved' : null)
  if (problem !== null) throw new AppError('username_invalid', { messageKey: problem })
}
