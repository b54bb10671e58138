import type { Failure, FailureKind } from './failure.ts'
import { isObject, parseJson } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

const kinds: Readonly<Record<number, FailureKind>> = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  403: 'forbidden',
  404: 'model_not_found',
  409: 'bad_request',
  413: 'bad_request',
  415: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
}

/**
 * Classifies an HTTP status if the body has no details. Timeouts, overload and unknown statuses are `unavailable`. A 403 often has
 * reasons other than the key: moderation, a firewall, a country, a model.
 */
export function kindOfStatus(status: number): FailureKind {
  return kinds[status] ?? 'unavailable'
}

/** The kind of failure of a whole response: only the vendor's own errors, which are JSON, can mean the key; an HTML page of a proxy cannot. */
export function kindOfResponse(status: number, body: Json | undefined): FailureKind {
  const kind = kindOfStatus(status)
  return isObject(body) || (kind !== 'bad_key' && kind !== 'no_quota') ? kind : 'forbidden'
}

/**
 * The kind of a status that an error inside a 2xx response names: the vendor took the key, so a bare 401 is about something behind it. Only a code of
 * the vendor's own can still mean the key.
 */
export function kindWithin(status: number): FailureKind {
  return status === 401 ? 'forbidden' : kindOfStatus(status)
}

/** Longest text of a vendor that is shown to people and searched for what it means. */
export const messageMax = 2_000

/** The text of a failure: the vendor's, or `otherwise` if it sent none. */
export function messageOr(body: Json | undefined, otherwise: string): string {
  return ((isObject(body) ? messageIn(body) : null) ?? otherwise).slice(0, messageMax)
}

/** Plain text is shown, an HTML page is not. */
export function plainMessage(status: number, body: string): string {
  const text = body.trim()
  const isWords = /^[\p{L}\p{N}]/u.test(text) && parseJson(text) === undefined
  return isWords ? `bad response status code ${status}: ${text.slice(0, wordsMax)}` : `bad response status code ${status}`
}

/** Longest plain text that is shown; a longer one is probably a page. */
const wordsMax = 500

/** The places where vendors and proxies put the text, most usual first. */
function messageIn(body: JsonObject): string | null {
  const message = usualMessage(body)
  if (message === null) return nestedWords(body)
  // Servers in front of others may quote their whole error.
  const quoted = /^\s*[{[]/.test(message) ? parseJson(message) : undefined
  return quoted === undefined ? message : (nestedWords(quoted) ?? message)
}

function usualMessage(body: JsonObject): string | null {
  const { error, message, msg, err, error_msg: errorMsg, detail } = body
  const places: ReadonlyArray<Json | undefined> = [
    at(error, 'message'),
    message,
    msg,
    err,
    errorMsg,
    Array.isArray(detail) ? wordsOf(detail) : detail,
    at(body['header'], 'message'),
    at(at(body['response'], 'error'), 'message'),
    at(at(body['Response'], 'Error'), 'Message'),
    at(body['base_resp'], 'status_msg'),
    at(firstOf(body['errors']), 'message'),
    error,
  ]
  return places.find((value): value is string => typeof value === 'string' && value !== '') ?? null
}

/** Other names under which servers put a text, or an object that has one, most telling first (as their users quote them, read 2026-11-30). */
const wordNames = [
  ...['message', 'Message', 'msg', 'error', 'Error', 'err', 'error_message', 'errorMessage', 'errmsg', 'err_msg', 'detail', 'details'],
  ...['error_description', 'description', 'errors', 'faultstring', 'fault', 'reason', 'title'],
] as const

/** How deep words are looked for. */
const wordDepthMax = 4

function nestedWords(value: Json | undefined, depth = 0): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (depth > wordDepthMax) return null
  if (Array.isArray(value)) return nestedWords(value[0], depth + 1)
  if (!isObject(value)) return null
  for (const name of wordNames) {
    const words = value[name] === undefined ? null : nestedWords(value[name], depth + 1)
    if (words !== null) return words
  }
  return null
}

/** The failure in a 2xx body that is not a response of any protocol; `null` = it reports none. */
export function untypedFailure(body: Json | undefined): Failure | null {
  const json = unwrapped(body)
  const message = isObject(json) ? messageIn(json) : null
  return message === null ? null : { kind: 'unavailable', message: message.slice(0, messageMax), type: null, param: null, code: null }
}

/** Google may report an error as the only entry of a list. */
export function unwrapped(json: Json | undefined): Json | undefined {
  return Array.isArray(json) && isObject(json[0]) ? json[0] : json
}

const firstOf = (list: Json | undefined): Json | undefined => (Array.isArray(list) ? list[0] : undefined)

/** Validation errors in the form of FastAPI: `[{ loc: ['body', 'n'], msg: '...' }]`. What concerns the whole body has the place `['body']`. */
function wordsOf(detail: readonly Json[]): string {
  const lines = detail.flatMap((entry) => {
    if (!isObject(entry) || typeof entry['msg'] !== 'string') return []
    const { loc, msg } = entry
    const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : ''
    return place === '' ? msg : `${place}: ${msg}`
  })
  return lines.join('; ')
}

function at(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined
}
