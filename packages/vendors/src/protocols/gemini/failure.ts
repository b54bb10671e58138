import type { Failure, FailureKind } from '../../core/failure.ts'
import { kindOfResponse, kindWithin, messageOr, plainMessage, unwrapped } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** HTTP status of each error status (Google Cloud, "Errors", and Gemini API, "Troubleshooting", stored copies read 2026-11-22). */
const statuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UNKNOWN: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}

/** Kinds of the reasons in `details`, which are more exact than the status. */
const reasons: Readonly<Record<string, FailureKind>> = {
  API_KEY_INVALID: 'bad_key',
  API_KEY_SERVICE_BLOCKED: 'bad_key',
  API_KEY_IP_ADDRESS_BLOCKED: 'bad_key',
  API_KEY_HTTP_REFERRER_BLOCKED: 'bad_key',
  ACCESS_TOKEN_EXPIRED: 'bad_key',
  CONSUMER_SUSPENDED: 'bad_key',
  CONSUMER_INVALID: 'bad_key',
  SERVICE_DISABLED: 'bad_key',
  BILLING_DISABLED: 'no_quota',
  // A key is always sent: something on the way took it out.
  CREDENTIALS_MISSING: 'forbidden',
}

/** Classifies a non-2xx response, whatever its body is. */
export function readFailure(status: number, body: string): Failure {
  const json = unwrapped(parseJson(body))
  return toFailure(errorObject(json), kindOfResponse(status, json), messageOr(json, plainMessage(status, body)))
}

/** The error in a 2xx body or in a stream; `null` = none. */
export function errorIn(payload: Json | undefined): Failure | null {
  const json = unwrapped(payload)
  if (!isObject(json) || !isObject(json['error'])) return null
  const error = errorObject(json)
  const code = typeof error['code'] === 'number' ? error['code'] : 500
  const status = lookUp(statuses, textOr(error['status'], '')) ?? code
  return toFailure(error, kindWithin(status), messageOr(json, 'the upstream service reported an error'))
}

function errorObject(json: Json | undefined): JsonObject {
  return isObject(json) && isObject(json['error']) ? json['error'] : {}
}

/** Gemini API, "Troubleshooting"; texts as users quote them, read 2026-11-22. */
const isTooLong = /token count .{0,200}exceeds the maximum|exceeds? the (?:model's )?(?:context|maximum number of tokens)/i
const isBadKey = /api key (?:not valid|expired|not found)|reported as leaked|please pass a valid api key/i
/** A prepaid account without credit is reported as a rate limit (as users quote it, read 2026-11-23). */
const isOutOfCredits = /^Your prepayment credits are depleted\b/
const isPlace = /user location is not supported|not available in your country/i

function toFailure(error: JsonObject, fallback: FailureKind, message: string): Failure {
  const retryAfterSeconds = delayIn(error)
  return {
    kind: kindOf(error, fallback, message),
    message,
    type: typeof error['status'] === 'string' ? error['status'] : null,
    ...(isTooLong.test(message) ? { param: 'messages', code: 'context_length_exceeded' } : { param: null, code: null }),
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
  }
}

function kindOf(error: JsonObject, fallback: FailureKind, message: string): FailureKind {
  const reason = detailsIn(error)
    .map((detail) => lookUp(reasons, textOr(detail['reason'], '')))
    .find((kind) => kind !== undefined)
  if (reason !== undefined) return reason
  if (isBadKey.test(message)) return 'bad_key'
  if (error['status'] === 'RESOURCE_EXHAUSTED' && isOutOfCredits.test(message)) return 'no_quota'
  if (isPlace.test(message) || error['status'] === 'FAILED_PRECONDITION') return 'forbidden'
  return fallback
}

function detailsIn({ details }: JsonObject): readonly JsonObject[] {
  return Array.isArray(details) ? details.filter(isObject) : []
}

/** The longest pause of a channel: a quota of a day does not come back with the delay that is named beside it. */
const daySeconds = 60

/** `QuotaFailure`: `{ "violations": [{ "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }`. */
function isDaysQuota(detail: JsonObject): boolean {
  return objectsIn(detail['violations']).some(({ quotaId }) => textOr(quotaId, '').includes('PerDay'))
}

/** `RetryInfo`: `{ "retryDelay": "34.4s" }`. */
function delayIn(error: JsonObject): number | null {
  if (detailsIn(error).some(isDaysQuota)) return daySeconds
  const retryDelay = detailsIn(error).find((detail) => typeof detail['retryDelay'] === 'string')?.['retryDelay']
  const seconds = numberOf(textOr(retryDelay, '').replace(/s$/, ''))
  return seconds === null || seconds < 0 ? null : Math.ceil(seconds)
}
