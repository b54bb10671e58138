import { includesScope } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import type { Caller } from './implement.ts'

/** For a part of a call that a personal access token does only with a further scope. @throws AppError scope_missing */
export function needScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): void {
  if (scopes !== null && !includesScope(scopes, scope)) throw new AppError('scope_missing', { params: { scope } })
}
