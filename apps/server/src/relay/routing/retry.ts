import type { ErrorCode } from '@sluice/contract/errors'
import type { FailureKind } from '@sluice/vendors/core/failure'
import { AppError } from '../../lib/app-error.ts'
import type { AttemptFailure, TransportCode } from '../model/attempt-failure.ts'
import { timeoutError } from '../wire/timeout-error.ts'
import { overloadIn } from '../wire/vendor-error.ts'
import { withoutTraces } from '../wire/without-traces.ts'
import type { Blame } from './health.ts'

interface Rule {
  /**
   * Whether another channel is tried; only used before the first byte reached the client. `ambiguous`: the vendor may have processed the
   * request, so one that must not run twice is not retried, and any other is retried once.
   */
  readonly retry: 'yes' | 'no' | 'ambiguous'
  /** The vendor received the request, so a retry is load that counts against the retry budget. */
  readonly isLoad: boolean
  /** What the failure is blamed on; repeated blame keeps requests away for a while. `null`: nothing. */
  readonly blames: Blame | null
  /** The model gets no requests of this kind for as long as the vendor asks. */
  readonly cools: boolean
  /** The key is refused, the account closed, or the credit used up: the channel does not work until an administrator fixes it. */
  readonly disables: boolean
  /** The client's error if no further channel is tried; `null`: the vendor's message and status. */
  readonly code: ErrorCode | null
}

/**
 * What follows from each failure. An upstream 401 or 403 is never passed on, because the client's own key is valid. Message texts are not
 * matched: "credit" and "balance" occur in many errors that are not about the account. `forbidden` disables nothing: clients can cause it
 * with a prompt that a firewall or a moderation refuses.
 */
const rules: Readonly<Record<FailureKind | TransportCode | 'parameter_not_offered', Rule>> = {
  bad_request: { retry: 'no', isLoad: true, blames: null, cools: false, disables: false, code: null },
  bad_key: { retry: 'yes', isLoad: true, blames: 'channel', cools: false, disables: true, code: 'channel_auth_failed' },
  no_quota: { retry: 'yes', isLoad: true, blames: 'channel', cools: false, disables: true, code: 'channel_out_of_quota' },
  forbidden: { retry: 'yes', isLoad: true, blames: 'refusal', cools: false, disables: false, code: 'channel_auth_failed' },
  model_not_found: { retry: 'yes', isLoad: true, blames: 'refusal', cools: false, disables: false, code: 'upstream_failed' },
  rate_limited: { retry: 'yes', isLoad: true, blames: null, cools: true, disables: false, code: 'upstream_rate_limited' },
  unavailable: { retry: 'yes', isLoad: true, blames: 'model', cools: true, disables: false, code: 'upstream_failed' },
  upstream_unreachable: { retry: 'yes', isLoad: false, blames: 'channel', cools: false, disables: false, code: 'upstream_unreachable' },
  upstream_tls: { retry: 'yes', isLoad: false, blames: 'channel', cools: false, disables: false, code: 'upstream_tls' },
  upstream_reset: unanswered('upstream_reset'),
  upstream_timeout: unanswered('upstream_timeout'),
  upstream_invalid_response: unanswered('upstream_invalid_response'),
  upstream_redirect: { retry: 'yes', isLoad: true, blames: 'refusal', cools: false, disables: false, code: 'upstream_redirect' },
  upstream_line_too_long: unanswered('upstream_line_too_long'),
  upstream_answer_too_long: unanswered('upstream_answer_too_long'),
  parameter_not_offered: { retry: 'yes', isLoad: false, blames: null, cools: false, disables: false, code: 'parameter_not_offered' },
}

/** The request was sent, and no response to it could be read. */
function unanswered(code: ErrorCode): Rule {
  return { retry: 'ambiguous', isLoad: true, blames: 'model', cools: false, disables: false, code }
}

export function ruleOf(failed: AttemptFailure): Rule {
  const rule = rules[failed.by === 'vendor' ? failed.failure.kind : failed.code]
  if (failed.by === 'form' || failed.spent === undefined || failed.spent.isFailed === true) return rule
  // The channel responded as the request made it respond. Another response would be billed as well, and is likely to end in the same way.
  return { ...rule, blames: null, retry: 'no' }
}

/** Nothing is known to have reached the vendor. */
const notReached: ReadonlySet<TransportCode> = new Set(['upstream_unreachable', 'upstream_tls', 'upstream_timeout'])

/** Whether the vendor was reached. */
export function hasReached(failed: AttemptFailure): boolean {
  return failed.by === 'vendor' || (failed.by === 'transport' && !notReached.has(failed.code))
}

/** The pause after a 429 without a time. */
const unsaidCoolMs = 1_000

/** How long the vendor wants no requests after this failure, and whether it named the time. `null`: no pause. */
export function coolingOf(failed: AttemptFailure): { readonly forMs: number; readonly isTimed: boolean } | null {
  if (failed.by !== 'vendor' || !ruleOf(failed).cools) return null
  const { retryAfterSeconds, failure } = failed
  if (retryAfterSeconds !== null) return retryAfterSeconds === 0 ? null : { forMs: retryAfterSeconds * 1000, isTimed: true }
  return failure.kind === 'rate_limited' ? { forMs: unsaidCoolMs, isTimed: false } : null
}

/** The vendor's message if it refused the channel's key; `null`: it did not. */
export function keyRefusalIn(failed: AttemptFailure): string | null {
  return failed.by === 'vendor' && ruleOf(failed).disables ? failed.failure.message : null
}

export function errorOf(failed: AttemptFailure): AppError {
  if (failed.by === 'form') return new AppError(failed.code, { params: { name: failed.parameter } })
  if (failed.by === 'transport') {
    return failed.exceeded === undefined ? new AppError(failed.code, { cause: failed.cause }) : timeoutError(failed.exceeded, failed.cause)
  }
  const { failure, status, retryAfterSeconds } = failed
  const { code: ownCode } = ruleOf(failed)
  if (ownCode === null) {
    const { message, type, param, code } = failure
    // With a 401 or 403, clients would take their own key for refused. OpenAI has these two errors with status 400 only, and its clients match both.
    const isOpenAIs = code === 'context_length_exceeded' || code === 'content_filter'
    const isClients = status >= 400 && status < 500 && status !== 401 && status !== 403 && !isOpenAIs
    return new AppError('upstream_failed', {
      status: isClients ? status : 400,
      upstream: { message: withoutTraces(message), type, param, code },
    })
  }
  const after = retryAfterSeconds === null ? {} : { retryAfterSeconds }
  return new AppError(ownCode, { params: { detail: withoutTraces(failure.message) }, ...after, ...overloadIn(failure, status) })
}
