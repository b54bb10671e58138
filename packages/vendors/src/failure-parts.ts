import type { FailureKind } from './dialect.ts'
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

/** The same for a whole answer: only the vendor's own errors, which are JSON, can mean the key; an HTML page of a proxy cannot. */
export function kindOfAnswer(status: number, body: Json | undefined): FailureKind {
  const kind = kindOfStatus(status)
  return isObject(body) || (kind !== 'bad_key' && kind !== 'no_quota') ? kind : 'forbidden'
}

/**
 * The same for a status that an error inside a 2xx answer names: the vendor took the key, so a bare 401 is about something behind it. Only a code of
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
  return places.find((found): found is string => typeof found === 'string' && found !== '') ?? null
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
