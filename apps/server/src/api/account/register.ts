import type { contract, ParsedInputOf, Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { CreateAccount } from './create-account.ts'

export interface RegisterDeps {
  readonly settings: () => Settings
  readonly passwords: Passwords
  readonly createAccount: CreateAccount
  /** Whether the code was sent to this address for a registration; a right one is used up. */
  readonly checkCode: (email: string, code: string) => Promise<boolean>
  /** Asks the bot check, where it is on. @throws AppError */
  readonly checkHuman: (token: string, address: string) => Promise<void>
}

/** @throws AppError where registration is closed or something is missing, wrong or taken */
export async function register(
  { settings, passwords, createAccount, checkCode, checkHuman }: RegisterDeps,
  form: ParsedInputOf<typeof contract.account.register>,
  address: string,
): Promise<void> {
  const { RegisterEnabled, PasswordRegisterEnabled, EmailVerificationEnabled } = settings()
  if (!RegisterEnabled) throw new AppError('register_disabled')
  if (!PasswordRegisterEnabled) throw new AppError('password_register_disabled')
  await checkHuman(form.turnstile, address)
  const email = EmailVerificationEnabled ? await provenEmail(form, checkCode) : ''
  await createAccount({
    username: form.username,
    displayName: form.username,
    passwordHash: await passwords.hash(form.password),
    email,
    inviteCode: form.aff_code,
  })
}

async function provenEmail(
  { email: given, verification_code }: { readonly email: string; readonly verification_code: string },
  checkCode: RegisterDeps['checkCode'],
): Promise<string> {
  const email = given.trim().toLowerCase()
  if (email === '' || verification_code === '') throw new AppError('email_code_required')
  if (!(await checkCode(email, verification_code))) throw new AppError('email_code_wrong')
  return email
}
