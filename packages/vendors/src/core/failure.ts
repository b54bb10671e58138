import type { Usage } from './usage.ts'

/**
 * Classes of upstream failures, with what routing does:
 * bad_request (the client's fault: passed on, not retried), bad_key and no_quota (the channel's key: disable),
 * forbidden (refused for a reason other than the key, by the vendor or a proxy before it; try another channel),
 * model_not_found (try another channel), rate_limited (cool down), unavailable (try another channel).
 */
export type FailureKind = 'bad_request' | 'bad_key' | 'no_quota' | 'forbidden' | 'model_not_found' | 'rate_limited' | 'unavailable'

export interface Failure {
  readonly kind: FailureKind
  /** The vendor's text, or a sentence of ours if it sent none. Untrusted: shown as text only. */
  readonly message: string
  /** `type`, `param` and `code` of the vendor's error in the OpenAI form. */
  readonly type: string | null
  readonly param: string | null
  readonly code: string | null
  /** When the vendor wants the request to be retried, if its error says so and no header does. */
  readonly retryAfterSeconds?: number
  /** The response is beyond our own limits, and this much of it was read: the vendor has made it, and bills it. */
  readonly unread?: UnreadResponse
  /** What the vendor counts for a response that it ended so, and bills. */
  readonly usage?: Usage
}

/** What is known of a response that cannot be sent. */
export interface UnreadResponse {
  readonly usage: Usage | null
  readonly text: string
}
