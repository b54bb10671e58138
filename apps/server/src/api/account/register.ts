import { type contract, isTrustedUsername, type ParsedInputOf, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Passwords } from '../../lib/passwords.ts'
import { whatIsTaken } from './account-queries.ts'
import type { CreateAccount } from './create-account.ts'

export interface RegisterDeps {
  readonly db: Db
  readonly settings: () => Settings
  readonly passwords: Passwords
  readonly createAccount: CreateAccount
  /** Whether the code was mailed to this address for a registration (to allowed domains only); a valid code is used up. */
  readonly checkCode: (typed: { readonly email: string; readonly code: string; readonly client: string }) => Promise<boolean>
  /** Runs the bot check if it is on. @throws AppError */
  readonly checkHuman: (token: string, address: string) => Promise<void>
}

/** @throws AppError when registration is closed, or a value is missing, wrong or taken */
export async function register(
  { db, settings, passwords, createAccount, checkCode, checkHuman }: RegisterDeps,
  form: ParsedInputOf<typeof contract.account.register>,
  address: string,
): Promise<void> {
  const { RegisterEnabled, PasswordRegisterEnabled, EmailVerificationEnabled } = settings()
  if (!RegisterEnabled) throw new AppError('register_disabled')
  if (!PasswordRegisterEnabled) throw new AppError('password_register_disabled')
  await checkHuman(form.turnstile, address)
  const { username, aff_code: inviteCode } = form
  // The check uses the code up, so everything that a person can correct is checked before it.
  if ((await whatIsTaken(db, { username, email: '' })) !== null) throw new AppError('username_taken')
  if (isTrustedUsername(username)) throw new AppError('username_invalid', { messageKey: 'username_reserved' })
  const passwordHash = await passwords.hashChosen(form.password)
  const email = EmailVerificationEnabled ? await provenEmail(form, (email, code) => checkCode({ email, code, client: address })) : ''
  await createAccount({ username, displayName: username, passwordHash, email, inviteCode })
}

async function provenEmail(
  { email: rawEmail, verification_code }: { readonly email: string; readonly verification_code: string },
  checkCode: (email: string, code: string) => Promise<boolean>,
): Promise<string> {
  const email = rawEmail.trim().toLowerCase()
  if (email === '' || verification_code === '')
    throw new AppError('email_code_required', { field: email === '' ? 'email' : 'verification_code' })
  if (!(await checkCode(email, verification_code))) throw new AppError('email_code_wrong')
  return email
}
