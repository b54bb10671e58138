import { errorRow, languageOf, messageText } from '@sluice/contract'
import type { FieldReader } from '@sluice/http1/fields'
import { AppError } from '../lib/app-error.ts'
import { suggestCall } from '../lib/client-path.ts'

const json = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
}

/** @param data as JSON */
export function successResponse(data: string, beside: Readonly<Record<string, unknown>> = {}): Response {
  const others = JSON.stringify({ success: true, message: '', ...beside })
  return new Response(`${others.slice(0, -1)},"data":${data}}`, { headers: json })
}

/** A refusal in the envelope. Business failures have status 200, because compatible consoles treat others as a broken server. */
export function failureResponse(error: AppError, headers: FieldReader, badJsonStatus = 200): Response {
  const { params, beside, retryAfterSeconds } = error.options
  const message = messageText(error.options.messageKey ?? error.code, params, languageOf(headers.get('accept-language')))
  const field = error.options.field ?? errorRow(error.code).field
  const status = error.code === 'invalid_json' ? badJsonStatus : (errorRow(error.code).api ?? 200)
  const after = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  // The connection must end: the unread rest of the body would be parsed as the next request.
  const close = status === 413 || status === 408 ? { connection: 'close' } : {}
  return new Response(JSON.stringify({ success: false, message, ...(field === undefined ? {} : { field }), ...beside }), {
    status,
    headers: { ...json, ...after, ...close },
  })
}

/** What is said of an unknown path, with the call that it may mean. */
function unknownUrlText(method: string, path: string): string {
  const params = { method, path: path.slice(0, 200) }
  const suggestion = suggestCall(path)
  return suggestion === null
    ? messageText('unknown_url', params)
    : messageText('unknown_url_meant', { ...params, call: `${suggestion.method} ${suggestion.path}` })
}

/** The response to unknown paths under `/api`, in the form that API clients read. */
export function unknownUrlResponse(method: string, path: string, requestId: string): Response {
  const message = unknownUrlText(method, path)
  const error = { message, type: errorRow('unknown_url').type, param: null, code: 'unknown_url', request_id: requestId }
  return new Response(JSON.stringify({ error }), { status: 404, headers: json })
}

/** Longest part of a `Host` field that a message repeats. */
const hostTextMax = 100

/** @param field the `Host` field */
export function unknownHost(field: string | null): AppError {
  return new AppError('host_unknown', { params: { host: (field ?? '').slice(0, hostTextMax) } })
}

/** The response to a browser that opens a page of the console at a name that is not the server's. */
export function unknownHostPage(field: string | null, headers: FieldReader): Response {
  const { code, options } = unknownHost(field)
  const text = messageText(code, options.params, languageOf(headers.get('accept-language')))
  return new Response(`${text}\n`, { status: 421, headers: { ...json, 'content-type': 'text/plain; charset=utf-8' } })
}
