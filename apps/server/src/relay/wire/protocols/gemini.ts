import type { JsonObject } from '@sluice/vendors/core/json'
import type { ClientError } from '../../model/client-error.ts'
import type { ClientProtocol } from '../../model/client-protocol.ts'
import { eventFrame } from '../stream-frames.ts'
import { overloadedStatus } from '../vendor-error.ts'

const encoder = new TextEncoder()

/** Names of errors by status (Google Cloud, "Errors", `google.rpc.Code`, read 2026-11-23). */
const names: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  [overloadedStatus]: 'UNAVAILABLE',
}

function statusOf(status: number): string {
  return names[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}

/** Details as Google's libraries read them: the reason, the field, and when to ask again. */
function detailsOf({ code, param, requestId, retryAfterSeconds }: ClientError): readonly JsonObject[] {
  const type = (name: string): JsonObject => ({ '@type': `type.googleapis.com/google.rpc.${name}` })
  return [
    { ...type('ErrorInfo'), reason: (code ?? 'error').toUpperCase(), domain: 'sluice', metadata: { requestId } },
    ...(param === null ? [] : [{ ...type('BadRequest'), fieldViolations: [{ field: param }] }]),
    ...(retryAfterSeconds === undefined ? [] : [{ ...type('RetryInfo'), retryDelay: `${retryAfterSeconds}s` }]),
  ]
}

function errorBody(error: ClientError): JsonObject {
  const { status, message } = error
  const code = status === overloadedStatus ? 503 : status
  return { error: { code, message, status: statusOf(status), details: detailsOf(error) } }
}

/** Google's Gemini API: "Errors" and "GenerateContent", stored copies read 2026-11-23. Its clients send the key in a header or in the address. */
export const geminiProtocol: ClientProtocol = {
  name: 'gemini',
  errorBody,
  streamError: (error) => encoder.encode(`data: ${JSON.stringify(errorBody(error))}\n\n`),
  frame: eventFrame,
  keyForms: ['x-goog-api-key', 'authorization', 'x-api-key', 'api-key', 'query'],
}
