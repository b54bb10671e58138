import { AppError } from '../../lib/app-error.ts'

interface Account {
  readonly id: number
  readonly role: number
  /** Empty = none. */
  readonly email: string
}

/**
 * Uses up the code by which an account without a password may set one.
 * @throws AppError password_needs_email, password_needs_code, email_code_wrong, login_method_unconfirmed
 */
export async function checkFirstPassword(
  account: Account,
  code: string,
  spendMailCode: (account: Account, email: string, code: string) => Promise<void>,
): Promise<void> {
  if (account.email === '') throw new AppError('password_needs_email')
  if (code === '') throw new AppError('password_needs_code')
  await spendMailCode(account, account.email, code)
}
