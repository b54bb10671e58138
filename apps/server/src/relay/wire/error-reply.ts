import { errorRow, languageOf, messageText } from '@sluice/contract'
import type { AppError } from '../../lib/app-error.ts'
import type { OpenAiError } from '../model/open-ai-error.ts'

/** An error in the OpenAI form (API reference, "Errors", read 2026-11-21), with the request id that support will ask for. */
export function openAiError(error: AppError, requestId: string, acceptLanguage: string | null = null): OpenAiError {
  const { upstream, params, messageKey } = error.options
  const message = upstream?.message ?? messageText(messageKey ?? error.code, params, languageOf(acceptLanguage))
  const name = params?.['name']
  const own = { type: errorRow(error.code).type, param: typeof name === 'string' ? name : null, code: error.code }
  const { type, param, code } = upstream ?? own
  return {
    error: { message, type: type ?? own.type, param, code: code ?? (upstream === undefined ? own.code : null), request_id: requestId },
  }
}

interface ErrorReplyOptions {
  readonly requestId: string
  readonly acceptLanguage: string | null
  /** Channels that were tried. */
  readonly attempts: number
}

export function errorReply(error: AppError, { requestId, acceptLanguage, attempts }: ErrorReplyOptions): Response {
  const headers = new Headers({ ...relayHeaders(requestId, attempts), 'content-type': 'application/json' })
  if (errorRow(error.code).final) headers.set('x-should-retry', 'false')
  if (error.options.retryAfterSeconds !== undefined) headers.set('retry-after', String(error.options.retryAfterSeconds))
  if (error.status === 413 || error.status === 408) headers.set('connection', 'close')
  return new Response(JSON.stringify(openAiError(error, requestId, acceptLanguage)), { status: error.status, headers })
}

/** On every answer of the relay. Any page may call it with a token of its own; cookies mean nothing here. */
export function relayHeaders(requestId: string, attempts: number): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-attempts': String(attempts),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'x-request-id, x-attempts, x-should-retry, retry-after',
  }
}

/** Beside those of every answer. Nothing between here and the client is to keep a part of a stream back. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const
