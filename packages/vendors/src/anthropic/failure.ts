import type { Failure, FailureKind } from '../dialect.ts'
import { isObject, parseJson, textOr } from '../is-object.ts'
import type { Json } from '../json.ts'

/** Anthropic API, "Errors", read 2026-11-21. */
const kindOfType: Readonly<Record<string, FailureKind>> = {
  invalid_request_error: 'bad_request',
  authentication_error: 'bad_key',
  billing_error: 'no_quota',
  permission_error: 'bad_key',
  not_found_error: 'model_not_found',
  conflict_error: 'bad_request',
  request_too_large: 'bad_request',
  rate_limit_error: 'rate_limited',
  timeout_error: 'unavailable',
  api_error: 'unavailable',
  overloaded_error: 'unavailable',
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  403: 'bad_key',
  404: 'model_not_found',
  409: 'bad_request',
  413: 'bad_request',
  429: 'rate_limited',
}

const messageMax = 2_000

export function readFailure(status: number, body: string): Failure {
  return errorIn(parseJson(body)) ?? failureOf(kindOfStatus[status] ?? 'unavailable', null, `bad response status code ${status}`)
}

/** The error of a body or of an `error` event; `null` where it holds none. */
export function errorIn(json: Json | undefined): Failure | null {
  if (!isObject(json) || !isObject(json['error'])) return null
  const type = textOr(json['error']['type'], 'api_error')
  return failureOf(kindOfType[type] ?? 'unavailable', type, textOr(json['error']['message'], 'the upstream service reported an error'))
}

function failureOf(kind: FailureKind, type: string | null, message: string): Failure {
  return { kind, message: message.slice(0, messageMax), type, param: null, code: null }
}
