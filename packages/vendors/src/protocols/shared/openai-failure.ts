import type { Failure, FailureKind } from '../../core/failure.ts'
import { kindOfResponse, kindWithin, messageOr, plainMessage, unwrapped } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { ownObject } from './own-object.ts'

/** Error codes and types that say more than the status (OpenAI, "Error codes", read 2026-11-21). */
const kinds: Readonly<Record<string, FailureKind>> = {
  invalid_api_key: 'bad_key',
  account_deactivated: 'bad_key',
  authentication_error: 'bad_key',
  // It concerns a model or a country, not the key.
  permission_error: 'forbidden',
  insufficient_quota: 'no_quota',
  credit_balance_exhausted: 'no_quota',
  organization_spend_limit_exceeded: 'no_quota',
  project_spend_limit_exceeded: 'no_quota',
  organization_usage_limit_exceeded: 'no_quota',
  billing_not_active: 'no_quota',
  billing_hard_limit_reached: 'no_quota',
  model_not_found: 'model_not_found',
  content_policy_violation: 'bad_request',
  content_filter: 'bad_request',
  moderation_blocked: 'bad_request',
  rate_limit_exceeded: 'rate_limited',
  server_error: 'unavailable',
  exceed_context_size_error: 'bad_request',
}

/**
 * A prompt that is too long, in the words of OpenAI (which most resellers and servers repeat without its code), and of the servers that people run
 * themselves (vLLM, SGLang, llama.cpp), as their users quote them, read 2026-11-23.
 */
const isTooLong =
  /maximum (?:context|prompt) length (?:is|of) \d|`max_new_tokens` must be <=|longer than the model's context length|exceeds? the available context size|\[input_too_large\]/i

/** Classifies a non-2xx response, whatever its body is. */
export function readFailure(status: number, body: string): Failure {
  const json = unwrapped(parseJson(body))
  const error = isObject(json) ? errorObject(json) : {}
  const failure = toFailure(error, { kind: kindOfResponse(status, json), message: messageOr(json, plainMessage(status, body)) })
  return isProviders(error) ? withoutBlame(failure) : failure
}

/** The error inside a 2xx body or a stream event; `null` = none. Its code may be the HTTP status that it should have had. */
export function errorIn(body: JsonObject): Failure | null {
  const error = errorPart(body)
  if (error === null) return null
  const details = isObject(error) ? error : body
  if (isProviders(details) || details === errorOfChoice(body)) return withoutBlame(toFailure(details, kindAndMessage(body, error, details)))
  return toFailure(details, kindAndMessage(body, error, details))
}

function kindAndMessage(body: JsonObject, error: JsonObject | string, details: JsonObject): Pick<Failure, 'kind' | 'message'> {
  const isClients = details['type'] === 'invalid_request_error' && typeof details['code'] !== 'number'
  return {
    kind: isClients ? 'bad_request' : kindWithin(numberOf(details['code']) ?? 0),
    message: messageOr({ ...body, error }, 'the upstream service reported an error'),
  }
}

/**
 * An aggregator names the provider whose error it passes on ("Errors and debugging" of OpenRouter, read 2026-11-21); gateways give it a type
 * (QuantumNous/new-api, as WEIFENG2333/VideoCaptioner #1120 quotes it, read 2026-11-23).
 */
function isProviders({ metadata, type }: JsonObject): boolean {
  return type === 'upstream_error' || (isObject(metadata) && typeof metadata['provider_name'] === 'string')
}

/** The key and the money of a provider behind an aggregator are not those of the channel. */
function withoutBlame(failure: Failure): Failure {
  return failure.kind === 'bad_key' || failure.kind === 'no_quota' ? { ...failure, kind: 'unavailable' } : failure
}

/** The member `error`, also of a vendor's own `x_...` object, or the whole body, or its status. */
function errorPart(body: JsonObject): JsonObject | string | null {
  const error = errorValue(body['error']) ?? errorValue(ownObject(body, 'error')?.['error']) ?? errorOfChoice(body)
  return error ?? (body['object'] === 'error' ? body : (statusPart(body) ?? listPart(body) ?? codePart(body) ?? namedPart(body)))
}

/** Some report `success` and a list of errors in every response. */
function listPart({ success, errors }: JsonObject): JsonObject | null {
  const [first] = success !== true && Array.isArray(errors) ? errors : []
  return isObject(first) ? first : null
}

/** A vendor may report the state of every response in `base_resp`, with status 200 too; 0 is success. */
function statusPart({ base_resp: state }: JsonObject): JsonObject | null {
  if (!isObject(state) || typeof state['status_code'] !== 'number' || state['status_code'] === 0) return null
  return { code: String(state['status_code']), message: state['status_msg'] ?? null }
}

/** Others report it in a number `code` beside a text, in a response without choices; 0 and 200 are success. */
function codePart(body: JsonObject): JsonObject | null {
  const { code, message, choices } = body
  if (typeof code !== 'number' || code === 0 || code === 200 || typeof message !== 'string' || choices !== undefined) return null
  return body
}

/** Members that only an error has, in servers that people run themselves (vercel/ai 18303, read 2026-11-30). */
const errorMembers = ['detail', 'error_message', 'errorMessage', 'error_msg', 'errmsg', 'err_msg', 'err', 'Error', 'error_type'] as const

function namedPart(body: JsonObject): JsonObject | null {
  if (body['choices'] !== undefined || body['usage'] !== undefined) return null
  const isNamed = body['type'] === 'error' || errorMembers.some((name) => errorValue(body[name]) !== null)
  return isNamed ? body : null
}

/**
 * A vendor that calls other vendors may report the failure of one in its choice, or only that it ended the response ("Errors and debugging" of OpenRouter,
 * and OleksandrChekhovskyi/hax #15, read 2026-11-23).
 */
function errorOfChoice({ choices }: JsonObject): JsonObject | null {
  const [choice] = Array.isArray(choices) ? choices : []
  if (!isObject(choice)) return null
  if (isObject(choice['error'])) return choice['error']
  return choice['finish_reason'] === 'error' ? unnamed : null
}

const unnamed: JsonObject = {}

/** `null` = it is no error. */
function errorValue(error: Json | undefined): JsonObject | string | null {
  return isObject(error) || (typeof error === 'string' && error !== '') ? error : null
}

function toFailure(error: JsonObject, { kind, message }: Pick<Failure, 'kind' | 'message'>): Failure {
  const rawCode = error['code'] ?? error['Code']
  const code = typeof rawCode === 'number' ? String(rawCode) : textOrNull(rawCode)
  const type = typeIn(error)
  const param = textOrNull(error['param'])
  const named = lookUp(kinds, code ?? '') ?? lookUp(kinds, type ?? '') ?? kind
  if (named === 'forbidden' && isModerated(error)) return { kind: 'bad_request', message, type, param, code: 'content_filter' }
  // A number repeats the status, and a sentence is no code.
  const saysNoMore = code === null || /^\d*$|\s/.test(code)
  return named === 'bad_request' && saysNoMore && isTooLong.test(message)
    ? { kind: named, message, type, param: 'messages', code: 'context_length_exceeded' }
    : { kind: named, message, type, param, code }
}

/** Some vendors call it a reason or a status text; aggregators put their own beside the provider's error. */
function typeIn({ type, reason, statusText, metadata }: JsonObject): string | null {
  const beside = isObject(metadata) ? (metadata['limit_source'] ?? metadata['error_type']) : undefined
  return [beside, type, reason, statusText].map(textOrNull).find((text) => text !== null) ?? null
}

/** Errors of moderation list what it flagged ("Errors" of aggregators, read 2026-11-21). */
function isModerated({ metadata }: JsonObject): boolean {
  return isObject(metadata) && ('flagged_input' in metadata || 'reasons' in metadata)
}

/** Some vendors put type and code at the top of the body. */
function errorObject(body: JsonObject): JsonObject {
  const { error = body['Error'] } = body
  return isObject(error) ? innermost(error) : (statusPart(body) ?? listPart(body) ?? body)
}

/** Servers in front of others may put their errors into one of their own. */
function innermost(error: JsonObject): JsonObject {
  const { error: inner } = error
  return isObject(inner) && error['message'] === undefined ? inner : error
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}
