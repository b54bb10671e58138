import { credentialScope } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { authorizeCredentials, type Person } from '../authorize.ts'
import type { Caller } from '../implement.ts'

/** @throws AppError scope_missing, user_not_manageable */
export function checkCredentials(caller: Caller, target: Person): void {
  const refusal = authorizeCredentials(caller, target)
  if (refusal !== null) throw new AppError(refusal, { params: { scope: credentialScope } })
}
