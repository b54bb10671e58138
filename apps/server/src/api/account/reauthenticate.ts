import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { Audit } from '../audit.ts'
import { authorizeReauthentication } from '../authorize.ts'
import type { Caller, Visit } from '../implement.ts'
import { findPasswordHash } from './login-queries.ts'
import type { LoginThrottle } from './login-throttle.ts'

/**
 * Checks that the owner changes the credentials of an account: by a recent login, or by the current password.
 * @param currentPassword empty = not given
 * @throws AppError session_required, reauthentication_required, reauthentication_with_factor_required, current_password_wrong, login_throttled
 */
export type Reauthenticate = (caller: Caller, currentPassword: string, visit: Visit) => Promise<void>

interface ReauthenticateDeps {
  readonly db: Db
  readonly passwords: Passwords
  /** The login's own throttle, so that guesses here and there count together. */
  readonly throttle: LoginThrottle
  readonly audit: Audit
  /** Whether the account has two-factor authentication, which the password must not replace. */
  readonly hasSecondStep: (userId: number) => Promise<boolean>
}

export function createReauthenticate({ db, passwords, throttle, audit, hasSecondStep }: ReauthenticateDeps): Reauthenticate {
  return async (caller, currentPassword, visit) => {
    const refusal = authorizeReauthentication(caller)
    if (refusal === null && currentPassword === '') return
    if (refusal === 'session_required' || (refusal !== null && currentPassword === '')) throw new AppError(refusal)
    if (await hasSecondStep(caller.id)) throw new AppError('reauthentication_with_factor_required')
    const wait = await throttle.take(caller.username, visit.address)
    if (wait > 0) throw new AppError('login_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
    if (!(await passwords.verify(currentPassword, await findPasswordHash(db, caller.id)))) {
      await audit({ actor: caller, messageKey: 'log_current_password_wrong', params: { address: visit.address } })
      throw new AppError('current_password_wrong')
    }
    await throttle.succeeded(caller.username, visit.address)
  }
}
