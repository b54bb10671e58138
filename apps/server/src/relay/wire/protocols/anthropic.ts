import type { JsonObject } from '@sluice/vendors/core/json'
import { contextOverflowIn } from '@sluice/vendors/protocols/rules/context-overflow'
import { utcTime } from '../../../lib/clock.ts'
import type { ClientError } from '../../model/client-error.ts'
import type { ClientProtocol } from '../../model/client-protocol.ts'
import { rateHeaders } from '../rate-headers.ts'
import { eventFrame } from '../stream-frames.ts'
import { overloadedStatus } from '../vendor-error.ts'

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

/**
 * Claude Code shortens a conversation when an error begins with the vendor's own words ("LLM gateway", read 2026-11-23), and lowers its limit of output
 * when it reads by how much prompt and limit together exceed the context (musistudio/claude-code-router 1799, read 2026-11-29).
 */
function wordsOf({ code, message }: ClientError): string {
  if (code !== 'context_length_exceeded' || message.startsWith(tooLong)) return message
  const overflow = contextOverflowIn(message)
  // Those of Claude are right as they are.
  if (overflow !== null && message.startsWith('input length and')) return message
  if (overflow === null || overflow.input >= overflow.context) return `${tooLong}: ${message}`
  const { input, output, context } = overflow
  return `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${context}, decrease input length or \`max_tokens\` and try again`
}

function errorBody(error: ClientError): JsonObject {
  return { type: 'error', error: { type: typeOf(error.status), message: wordsOf(error) }, request_id: error.requestId }
}

/** Anthropic's Messages API: "Errors" and "Streaming", read 2026-11-23. Official clients read the request's id from `request-id`. */
export const anthropicProtocol: ClientProtocol = {
  name: 'anthropic',
  overloadedStatus,
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
