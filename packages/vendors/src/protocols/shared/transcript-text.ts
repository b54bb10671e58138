import { isGiven, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { BytesResponse, ClientResponse } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'

/** The parameter of a transcription request that a text without timestamps cannot satisfy; `null` = there is none. */
export function refusedOfText({ response_format: format, timestamp_granularities: marks }: JsonObject): string | null {
  if (isGiven(format) && format !== 'json' && format !== 'text') return 'response_format'
  return isGiven(marks) ? 'timestamp_granularities' : null
}

/** A transcript in the requested form (`echo.response_format`): `text`, or JSON. */
export function writtenText(text: string, echo: JsonObject | undefined, usage: Usage | null): ClientResponse | BytesResponse {
  return textOr(echo?.['response_format'], 'json') === 'text' ? plainText(text, 'text/plain', usage) : { response: { text }, usage }
}

export function plainText(text: string, type: 'text/plain' | 'text/vtt', usage: Usage | null): BytesResponse {
  return { bytes: new TextEncoder().encode(text), contentType: `${type}; charset=utf-8`, usage }
}
