import type { ErrorCode } from '@sluice/contract/errors'
import type { Failure, FailureKind } from '@sluice/vendors/dialect'
import { AppError } from '../lib/app-error.ts'

/** Why an attempt brought no answer: the vendor said so, or there was nothing to read. */
export type AttemptFailure =
  | { readonly by: 'vendor'; readonly failure: Failure; readonly status: number; readonly retryAfterSeconds: number | null }
  | {
      readonly by: 'transport'
      readonly code:
        | 'upstream_unreachable'
        | 'upstream_timeout'
        | 'upstream_invalid_response'
        | 'upstream_redirect'
        | 'upstream_line_too_long'
      readonly cause: unknown
    }

/** Whether another channel may do better. Only asked before the first byte reached the client. */
const isRetried: Record<FailureKind, boolean> = {
  bad_request: false,
  bad_key: true,
  no_quota: true,
  model_not_found: true,
  rate_limited: true,
  unavailable: true,
}

export function mayRetry(failed: AttemptFailure): boolean {
  return failed.by === 'transport' || isRetried[failed.failure.kind]
}

/**
 * What a failure says of the channel's key: refused, its account closed, or out of money. Such a channel is of no use to anybody until a
 * person has looked after it. Words in messages are never asked: "credit" and "balance" stand in plenty of other errors.
 */
const isOfKey: Record<FailureKind, boolean> = {
  bad_request: false,
  bad_key: true,
  no_quota: true,
  model_not_found: false,
  rate_limited: false,
  unavailable: false,
}

/** What the vendor said when it refused the key of the channel; `null`: it did not. */
export function keyRefusalIn(failed: AttemptFailure): string | null {
  return failed.by === 'vendor' && isOfKey[failed.failure.kind] ? failed.failure.message : null
}

/** What the client is told when no further channel is tried. An upstream 401 never reaches it as one: its own key is fine. */
const codeOf: Record<Exclude<FailureKind, 'bad_request'>, ErrorCode> = {
  bad_key: 'channel_auth_failed',
  no_quota: 'channel_auth_failed',
  model_not_found: 'upstream_failed',
  rate_limited: 'upstream_rate_limited',
  unavailable: 'upstream_failed',
}

export function errorOf(failed: AttemptFailure): AppError {
  if (failed.by === 'transport') return new AppError(failed.code, { cause: failed.cause })
  const { failure, status, retryAfterSeconds } = failed
  if (failure.kind === 'bad_request') {
    const { message, type, param, code } = failure
    return new AppError('upstream_failed', {
      status: status >= 400 && status < 500 ? status : 400,
      upstream: { message, type, param, code },
    })
  }
  const after = retryAfterSeconds === null ? {} : { retryAfterSeconds }
  return new AppError(codeOf[failure.kind], { params: { detail: failure.message }, ...after })
}

/** Seconds of a Retry-After header, at most a minute; junk is nothing. Dates are read too. */
export function retryAfterOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(60, Math.ceil(seconds)) : null
}
