import type { BytesReply, Reply, Usage } from './dialect.ts'
import { textOr } from './is-object.ts'
import type { JsonObject } from './json.ts'

/** A transcript in the form that was asked for (`echo.response_format`): `text`, or JSON. */
export function writtenText(text: string, echo: JsonObject | undefined, usage: Usage | null): Reply | BytesReply {
  return textOr(echo?.['response_format'], 'json') === 'text' ? plainText(text, 'text/plain', usage) : { reply: { text }, usage }
}

export function plainText(text: string, type: 'text/plain' | 'text/vtt', usage: Usage | null): BytesReply {
  return { bytes: new TextEncoder().encode(text), contentType: `${type}; charset=utf-8`, usage }
}
