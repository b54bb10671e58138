import type { JsonObject } from '@sluice/vendors/core/json'
import type { ClientError } from '../../model/client-error.ts'
import type { ClientProtocol } from '../../model/client-protocol.ts'
import { rateHeaders } from '../rate-headers.ts'
import { eventFrame } from '../stream-frames.ts'

const encoder = new TextEncoder()

/** OpenAI API reference, "Errors", read 2026-11-21, with the request id for support. */
function errorBody({ message, type, param, code, requestId }: ClientError): JsonObject {
  return { error: { message, type, param, code, request_id: requestId } }
}

/** The protocol of every route that belongs to no other. Its clients throw the message of an error that they find in a stream. */
export const openAiProtocol: ClientProtocol = {
  name: 'openai',
  errorBody,
  streamError: (error) => encoder.encode(`data: ${JSON.stringify(errorBody(error))}\n\n`),
  frame: eventFrame,
  /** OpenAI API, "Rate limits", read 2026-11-22. */
  rateHeaders: rateHeaders({
    nameOf: (limited, figure) => `x-ratelimit-${figure}-${limited}`,
    reset: (seconds) => `${seconds}s`,
  }),
}
