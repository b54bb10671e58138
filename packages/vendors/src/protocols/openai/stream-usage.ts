import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Passthrough } from '../../core/passthrough.ts'
import type { Target } from '../../core/request.ts'
import { readFailure } from '../shared/openai-failure.ts'

/** A call of OpenAI's API whose bodies are sent unchanged except for the model and what `prepare` changes. */
export function passing(
  path: string,
  passthrough: Passthrough,
  prepare: (body: JsonObject, target: Target) => JsonObject = (body) => body,
) {
  return {
    request: (body, target) => ({ path, headers: noHeaders, body: { ...prepare(body, target), model: target.model } }),
    failure: readFailure,
    passthrough,
  } satisfies Dialect
}

/** Requests usage at the end of a stream, even if the client does not: the charge is computed from it. */
export function withStreamUsage(body: JsonObject, { stream, streamUsage }: Target): JsonObject {
  if (!stream || !streamUsage) return body
  const { stream_options: streamOptions } = body
  return { ...body, stream_options: { ...(isObject(streamOptions) ? streamOptions : {}), include_usage: true } }
}
