import type { Failure, FailureKind } from '../dialect.ts'
import { isObject, parseJson } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** Error codes and types that say more than the status (OpenAI, "Error codes", read 2026-11-21). */
const kindOfCode: Readonly<Record<string, FailureKind>> = {
  invalid_api_key: 'bad_key',
  account_deactivated: 'bad_key',
  authentication_error: 'bad_key',
  permission_error: 'bad_key',
  insufficient_quota: 'no_quota',
  billing_not_active: 'no_quota',
  billing_hard_limit_reached: 'no_quota',
  model_not_found: 'model_not_found',
  rate_limit_exceeded: 'rate_limited',
  server_error: 'unavailable',
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  403: 'bad_key',
  404: 'model_not_found',
  409: 'bad_request',
  413: 'bad_request',
  415: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
}

/** Vendor texts are shown to people, so they end somewhere. */
const messageMax = 2_000

/** Classifies a non-2xx answer, whatever its body is. */
export function readFailure(status: number, body: string): Failure {
  const json = parseJson(body)
  const error = isObject(json) ? errorObject(json) : {}
  const message = isObject(json) ? messageIn(json) : null
  return describe(error, message ?? `bad response status code ${status}`, kindOfStatus[status] ?? 'unavailable')
}

/** The error inside a 2xx body or a stream event; `null` where there is none. */
export function errorIn(body: JsonObject): Failure | null {
  const { error } = body
  if (error === undefined || error === null || error === '') return null
  return describe(errorObject(body), messageIn(body) ?? 'the upstream service reported an error', 'unavailable')
}

function describe(error: JsonObject, message: string, fallback: FailureKind): Failure {
  const { type, param } = error
  const code = typeof error['code'] === 'number' ? String(error['code']) : error['code']
  const byCode = kindOfCode[text(code) ?? ''] ?? kindOfCode[text(type) ?? '']
  return {
    kind: byCode ?? kindOfStatus[Number(code)] ?? fallback,
    message: message.slice(0, messageMax),
    type: text(type),
    param: text(param),
    code: text(code),
  }
}

function errorObject(body: JsonObject): JsonObject {
  const { error } = body
  return isObject(error) ? error : body
}

/** Where vendors of this protocol put the text, most usual first. */
function messageIn(body: JsonObject): string | null {
  const { error, message, msg, err, error_msg: errorMsg, header, response } = body
  const nested = isObject(response) && isObject(response['error']) ? response['error']['message'] : undefined
  const places: ReadonlyArray<Json | undefined> = [
    isObject(error) ? error['message'] : error,
    message,
    msg,
    err,
    errorMsg,
    isObject(header) ? header['message'] : undefined,
    nested,
  ]
  return places.map(text).find((found) => found !== null && found !== '') ?? null
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}
