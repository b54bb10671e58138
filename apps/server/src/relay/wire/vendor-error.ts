import type { Failure } from '@sluice/vendors/core/failure'
import { AppError } from '../../lib/app-error.ts'
import { withoutTraces } from './without-traces.ts'

/** The status of a vendor that has too many requests of all its customers: Anthropic's own ("Errors", read 2026-11-23). */
export const overloadedStatus = 529

/** Codes and types of OpenAI's and Anthropic's interfaces, and the words of Google and others. */
const isOverload = /\boverloaded\b|overloaded_error|server_is_overloaded|\bslow_down\b/i

/** The status that clients get for a failure whose own status says less. `undefined`: none. @param status of the vendor's response */
export function overloadIn({ kind, type, code, message }: Failure, status = 0): { readonly status: number } | undefined {
  const isSo = kind === 'unavailable' && (status === overloadedStatus || [type, code, message].some((text) => isOverload.test(text ?? '')))
  return isSo ? { status: overloadedStatus } : undefined
}

/** The error by which the vendor ended a stream, in words that agents react to as to those of OpenAI: most resend what has failed by `server_error`. */
export function streamFailure(failure: Failure): AppError {
  const { kind, type, param, code } = failure
  const message = withoutTraces(failure.message)
  if (kind === 'bad_request')
    return new AppError('upstream_failed', { status: 400, upstream: { message, type: type ?? ofClient, param, code } })
  if (kind === 'rate_limited')
    return new AppError('upstream_rate_limited', {
      upstream: { message, type: 'rate_limit_error', param: null, code: 'rate_limit_exceeded' },
    })
  const own = 'upstream_stream_interrupted'
  return new AppError(own, { ...overloadIn(failure), upstream: { message, type: 'server_error', param: null, code: own } })
}

const ofClient = 'invalid_request_error'
