import { AppError } from '../lib/app-error.ts'
import { scrubText } from '../lib/scrub.ts'

/** A user's identity as verified by an external service. */
export interface Identity {
  /** An immutable id. */
  readonly id: string
  /** The current login name, which the user can change; empty: none. */
  readonly loginName: string
  /** For display; may be empty. */
  readonly name: string
}

/** Exchanges a login code for an identity. `verifier` (PKCE): empty if the login began without a challenge. */
export type Identify = (code: string, verifier: string) => Promise<Identity>

/** The error for a refusal, with the service's reason. */
export function refusedBy(service: string, detail: string): AppError {
  return new AppError('oauth_refused', { params: { service, detail: scrubText(detail).slice(0, 200) } })
}
