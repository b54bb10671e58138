import { AppError } from '../../lib/app-error.ts'
import { needsConfirmedWays } from '../authorize.ts'
import type { Codes } from './codes.ts'

interface Account {
  readonly id: number
  readonly role: number
}

/** Marks a code that was mailed while mail settings waited for root: whoever set them may have read the mail. */
export const heldDetail = 'unconfirmed'

/** @throws AppError login_method_unconfirmed when a mailed code is no proof for this account, because mail settings are pending super-admin approval */
export type CheckMailProves = (account: Pick<Account, 'role'>, detail?: string) => void

export function createCheckMailProves(isMailConfirmed: () => boolean): CheckMailProves {
  return (account, detail = '') => {
    if (needsConfirmedWays(account) && (detail === heldDetail || !isMailConfirmed()))
      throw new AppError('login_method_unconfirmed', { params: { service: 'email' } })
  }
}

/**
 * Uses up a code that was mailed to an address for a signed-in account.
 * @throws AppError email_code_wrong, login_method_unconfirmed
 */
export type SpendMailCode = (account: Account, email: string, code: string) => Promise<void>

export function createSpendMailCode(codes: Codes, checkMailProves: CheckMailProves): SpendMailCode {
  return async (account, email, code) => {
    checkMailProves(account)
    const issued = await codes.check(`bind:${account.id}`, email, code)
    if (issued === null) throw new AppError('email_code_wrong')
    checkMailProves(account, issued.detail)
  }
}
