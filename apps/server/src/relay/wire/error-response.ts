import { errorRow, languageOf, messageText } from '@sluice/contract'
import type { AppError } from '../../lib/app-error.ts'
import type { ClientError } from '../model/client-error.ts'
import type { ClientProtocol } from '../model/client-protocol.ts'
import { overloadedStatus } from './vendor-error.ts'

/** The error that a client gets. The vendor's own words come before ours. */
export function clientError(error: AppError, requestId: string, acceptLanguage: string | null = null): ClientError {
  const { upstream, params, messageKey } = error.options
  const message = upstream?.message ?? messageText(messageKey ?? error.code, params, languageOf(acceptLanguage))
  const name = params?.['name']
  const own = { type: errorRow(error.code).type, param: typeof name === 'string' ? name : null, code: error.code }
  const { type, param, code } = upstream ?? own
  return {
    status: error.status,
    message,
    type: type ?? own.type,
    param,
    code: code ?? (upstream === undefined ? own.code : null),
    requestId,
    retryAfterSeconds: error.options.retryAfterSeconds,
  }
}

interface ErrorResponseOptions {
  readonly requestId: string
  readonly acceptLanguage: string | null
  /** The number of channels tried. */
  readonly attempts: number
  readonly protocol: ClientProtocol
}

export function errorResponse(error: AppError, { requestId, acceptLanguage, attempts, protocol }: ErrorResponseOptions): Response {
  const headers = new Headers({
    ...relayHeaders(requestId, attempts),
    ...protocol.headers?.(requestId),
    'content-type': 'application/json',
  })
  if (errorRow(error.code).final) headers.set('x-should-retry', 'false')
  if (error.options.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.options.retryAfterSeconds))
  if (error.status === 413 || error.status === 408) headers.set('connection', 'close')
  const status = error.status === overloadedStatus ? (protocol.overloadedStatus ?? 503) : error.status
  return new Response(JSON.stringify(protocol.errorBody(clientError(error, requestId, acceptLanguage))), { status, headers })
}

const exposed = 'x-request-id, request-id, x-attempts, x-should-retry, x-token-count, retry-after'

/** The names of headers that pages of other origins may read: those of every response, and these. */
export function exposing(names: readonly string[]): string {
  return [exposed, ...names].join(', ')
}

/** Headers of every relay response. Any origin may call the relay with a token; the relay ignores cookies. */
export function relayHeaders(requestId: string, attempts: number): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-attempts': String(attempts),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
  }
}

/** Added to the headers of every response. They keep proxies from buffering the stream. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const
