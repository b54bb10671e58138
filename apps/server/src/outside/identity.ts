import { AppError } from '../lib/app-error.ts'
import { scrubText } from '../lib/scrub.ts'

/** Who somebody is, by the word of a service that has checked it. */
export interface Identity {
  /** Stays the same whatever its owner renames. */
  readonly id: string
  /** What the service calls them at present, which they can change; empty = nothing. */
  readonly loginName: string
  /** For display; may be empty. */
  readonly name: string
}

/** Asks a service who brought this code. `verifier`: empty where the login began without a challenge. */
export type Identify = (code: string, verifier: string) => Promise<Identity>

/** What a service says when it refuses, as far as people need it. */
export function refusedBy(service: string, detail: string): AppError {
  return new AppError('oauth_refused', { params: { service, detail: scrubText(detail).slice(0, 200) } })
}
