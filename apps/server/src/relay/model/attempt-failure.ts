import type { Failure } from '@sluice/vendors/core/failure'
import type { Kind } from '@sluice/vendors/core/kind'
import type { Usage } from '@sluice/vendors/core/usage'

/** A timeout that expired: the channel setting that sets it, and its current value. */
export interface ExceededTimeout {
  readonly setting: 'first_byte_seconds' | 'idle_seconds' | 'total_seconds'
  readonly ms: number
}

/** Why there was no readable response, if the cause is the connection. */
export type TransportCode =
  | 'upstream_unreachable'
  | 'upstream_tls'
  | 'upstream_reset'
  | 'upstream_timeout'
  | 'upstream_invalid_response'
  | 'upstream_redirect'
  | 'upstream_line_too_long'
  | 'upstream_answer_too_long'

/** What a vendor bills for a response that is not delivered. */
export interface Spent {
  readonly usage: Usage | null
  readonly text: string
  /** It was made as a whole and cannot be read: where its usage is not known, it counts as all that it was allowed to be. */
  readonly isUnread?: true
  /** The vendor reports that it failed, so another one may be tried. */
  readonly isFailed?: true
  /** Its text is not known. */
  readonly isTextCut?: true
}

/** Why an attempt brought no response: the vendor sent an error, there was no readable response, or the request was not sent. */
export type AttemptFailure =
  | {
      readonly by: 'vendor'
      readonly failure: Failure
      readonly status: number
      readonly retryAfterSeconds: number | null
      /** See `Outgoing`. */
      readonly upstreamKind?: Kind | undefined
      /** The vendor responded and bills the response, which does not meet the client's requirements or exceeds our limits. */
      readonly spent?: Spent | undefined
    }
  | {
      readonly by: 'transport'
      readonly code: TransportCode
      readonly cause: unknown
      /** The timeout that expired, if one did. */
      readonly exceeded?: ExceededTimeout
      /** The vendor responded and bills the response, which exceeds our limits. */
      readonly spent?: Spent
    }
  /** The vendor's form cannot hold a parameter of the request, so nothing was sent. */
  | { readonly by: 'form'; readonly code: 'parameter_not_offered'; readonly parameter: string }
