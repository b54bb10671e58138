import type { Failure } from '@sluice/vendors/dialect'

/** A wait that was too long: the channel's setting that says how long, and its value now. */
export interface ExceededTimeout {
  readonly setting: 'first_byte_seconds' | 'idle_seconds' | 'total_seconds'
  readonly ms: number
}

/** Why nothing that can be read came, as far as the way to the vendor goes. */
export type TransportCode =
  | 'upstream_unreachable'
  | 'upstream_tls'
  | 'upstream_reset'
  | 'upstream_timeout'
  | 'upstream_invalid_response'
  | 'upstream_redirect'
  | 'upstream_line_too_long'

/** Why an attempt brought no answer: the vendor said so, or there was nothing to read. */
export type AttemptFailure =
  | { readonly by: 'vendor'; readonly failure: Failure; readonly status: number; readonly retryAfterSeconds: number | null }
  | {
      readonly by: 'transport'
      readonly code: TransportCode
      readonly cause: unknown
      /** The wait that was too long, where one was. */
      readonly exceeded?: ExceededTimeout
    }
