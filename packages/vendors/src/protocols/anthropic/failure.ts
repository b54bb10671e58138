import type { Failure, FailureKind } from '../../core/failure.ts'
import { kindOfResponse, kindOfStatus, messageOr, plainMessage, unwrapped } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** HTTP status of each error type; an error inside a stream has only the type (Anthropic API, "Errors", read 2026-11-21). */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** Classifies a non-2xx response, whatever its body is. */
export function readFailure(status: number, body: string): Failure {
  const json = unwrapped(parseJson(body))
  return toFailure(errorObject(json), { status, kind: kindOfResponse(status, json) }, messageOr(json, plainMessage(status, body)))
}

/** The error in a 2xx body or in an `error` event; `null` = none. */
export function errorIn(json: Json | undefined): Failure | null {
  if (!isObject(json) || (json['type'] !== 'error' && !isObject(json['error']))) return null
  const error = errorObject(json)
  const status = statusOf(error) ?? 500
  return toFailure(error, { status, kind: kindOfStatus(status) }, messageOr(json, 'the upstream service reported an error'))
}

function errorObject(json: Json | undefined): JsonObject {
  return isObject(json) && isObject(json['error']) ? json['error'] : {}
}

function statusOf(error: JsonObject): number | undefined {
  return lookUp(statuses, textOr(error['type'], ''))
}

/** The status and its kind, for errors without a type. */
interface ErrorSource {
  readonly status: number
  readonly kind: FailureKind
}

function toFailure(error: JsonObject, source: ErrorSource, message: string): Failure {
  const { type, details } = error
  const code = isObject(details) && typeof details['error_code'] === 'string' ? details['error_code'] : null
  const isEmpty = source.status === 400 && type === 'invalid_request_error' && isOutOfCredit.test(message)
  return {
    kind: isEmpty ? 'no_quota' : kindOf(error, source.kind, code),
    message,
    type: typeof type === 'string' ? type : null,
    ...(type === 'invalid_request_error' && !isEmpty ? ofClients(message, code) : { param: null, code }),
  }
}

/** The errors of a request for which OpenAI's clients have codes. */
function ofClients(message: string, code: string | null): Pick<Failure, 'param' | 'code'> {
  if (isTooLong.test(message)) return { param: 'messages', code: 'context_length_exceeded' }
  return { param: null, code: isBlocked.test(message) ? 'content_filter' : code }
}

/** The vendor's filter stopped the response (anthropics/claude-code #58367 and #6195, read 2026-11-23). */
const isBlocked = /^output blocked by content filtering policy/i

/** The prompt, alone or with the output limit, exceeds the context (Anthropic, "Context windows" and "Errors", read 2026-11-22). */
const isTooLong = /^prompt is too long|exceed(?:s)? (?:the )?context (?:limit|window)/i

/** Accounts without credit, or at the limit that their owner set for a month, get a 400 of this type whose text begins so. */
const isOutOfCredit = /^your credit balance is too low|^you have reached your specified api usage limits/i

function kindOf(error: JsonObject, fallback: FailureKind, code: string | null): FailureKind {
  // The monthly spend limit is reached; the error says "rate limit", but a retry after a minute would fail too.
  if (code === 'enforced_spend_limit_reached') return 'no_quota'
  // Proxies in front of the vendor use this type for every error, so the status decides.
  if (error['type'] === 'invalid_request_error') return fallback
  const status = statusOf(error)
  return status === undefined ? fallback : kindOfStatus(status)
}

/** A proxy that retries may send the start of a second response in the middle of the first; then neither is complete. */
export const spliced: Failure = {
  kind: 'unavailable',
  message: 'the upstream service started a second message within the first',
  type: null,
  param: null,
  code: null,
}
