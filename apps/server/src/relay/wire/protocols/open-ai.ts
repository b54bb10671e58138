import type { JsonObject } from '@sluice/vendors/json'
import type { Rate, Rates } from '../../model/caller.ts'
import type { ClientError } from '../../model/client-error.ts'
import type { ClientProtocol } from '../../model/client-protocol.ts'
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
  rateHeaders,
}

/** OpenAI API, "Rate limits", read 2026-11-22. */
function rateHeaders({ requests, llmTokens }: Rates): Record<string, string> {
  return { ...limitNamed('requests', requests), ...limitNamed('tokens', llmTokens) }
}

function limitNamed(name: string, rate: Rate | null): Record<string, string> {
  if (rate === null) return {}
  return {
    [`x-ratelimit-limit-${name}`]: String(rate.limit),
    [`x-ratelimit-remaining-${name}`]: String(rate.remaining),
    [`x-ratelimit-reset-${name}`]: `${rate.resetSeconds}s`,
  }
}
