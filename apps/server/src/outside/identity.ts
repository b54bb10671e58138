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
  /** What rules about logins are about; empty where no rule needs it, and of services without rules. */
  readonly facts?: IdentityFacts
}

export interface IdentityFacts {
  /** Addresses that the service has verified. */
  readonly mails: readonly string[]
  /** The domain of Google Workspace; empty = a private account. */
  readonly hostedDomain: string
  /** Login names of organisations. */
  readonly organizations: readonly string[]
  readonly groups: readonly string[]
}

export const noFacts: IdentityFacts = { mails: [], hostedDomain: '', organizations: [], groups: [] }

/** What a service gave the browser for a login. */
export interface LoginGrant {
  readonly code: string
  /** PKCE; empty if the login began without a challenge. */
  readonly verifier: string
  /** Origin of the console to which the service sent the browser back; `null` = this server's. */
  readonly consoleOrigin: string | null
  /** For OpenID Connect: the state and the nonce of the login, and the issuer that the provider named beside the code (empty = none). */
  readonly state: string
  readonly nonce: string
  readonly issuer: string
}

/** Exchanges what a service gave for an identity. */
export type Identify = (grant: LoginGrant) => Promise<Identity>

/** The error for a refusal, with the service's reason. */
export function refusedBy(service: string, detail: string): AppError {
  return new AppError('oauth_refused', { params: { service, detail: scrubText(detail).slice(0, 200) } })
}
