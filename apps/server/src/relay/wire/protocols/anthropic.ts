import type { JsonObject } from '@sluice/vendors/json'
import { utcTime } from '../../../lib/clock.ts'
import type { ClientError } from '../../model/client-error.ts'
import type { ClientProtocol } from '../../model/client-protocol.ts'
import { rateHeaders } from '../rate-headers.ts'
import { eventFrame } from '../stream-frames.ts'

const encoder = new TextEncoder()

/** Types of errors by status (Anthropic API, "Errors", read 2026-11-23). */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

const tooLong = 'prompt is too long'

/** Claude Code shortens a conversation when an error begins with the vendor's own words ("LLM gateway", read 2026-11-23). */
function wordsOf({ code, message }: ClientError): string {
  return code === 'context_length_exceeded' && !message.startsWith(tooLong) ? `${tooLong}: ${message}` : message
}

function errorBody(error: ClientError): JsonObject {
  return { type: 'error', error: { type: typeOf(error.status), message: wordsOf(error) }, request_id: error.requestId }
}

/** Anthropic's Messages API: "Errors" and "Streaming", read 2026-11-23. Official clients read the request's id from `request-id`. */
export const anthropicProtocol: ClientProtocol = {
  name: 'anthropic',
  errorBody,
  streamError: (error) => encoder.encode(`event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`),
  frame: { ...eventFrame, beat: encoder.encode('event: ping\ndata: {"type": "ping"}\n\n') },
  headers: (requestId) => ({ 'request-id': requestId }),
  /** Anthropic API, "Rate limits", response headers, read 2026-11-23. */
  rateHeaders: rateHeaders({
    nameOf: (limited, figure) => `anthropic-ratelimit-${limited}-${figure}`,
    reset: (seconds, now) => utcTime(now + seconds),
  }),
}
