import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import { shallowJson } from '../../core/shallow-json.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import { collected } from '../shared/chat-collector.ts'
import { chunkWithFunctionCall, withFunctionCall } from '../shared/legacy-functions.ts'
import { unusable } from '../shared/response-parts.ts'
import { createReader, type ResponseReader } from './reader.ts'

/** A whole response as an OpenAI chat completion. A stream that came without server-sent events is a list of its parts. */
export function fromGemini(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const reader = createReader(context)
  const steps = (Array.isArray(json) ? json : [json]).map((part) => reader.take(part))
  const failure = steps.find((step) => step.failure !== null)?.failure
  if (failure !== undefined && failure !== null) return failure
  if (!reader.hasBegun()) return null
  const { usage, rest = [] } = reader.end()
  const response = withNullContent(collected([...steps, { chunks: rest }], { usage, context }))
  return { response: context.callsFunctions === true ? withFunctionCall(response) : response, usage }
}

/** A message that only calls functions has no content. */
function withNullContent(response: JsonObject): JsonObject {
  const [choice] = Array.isArray(response['choices']) ? response['choices'] : []
  const message = isObject(choice) ? choice['message'] : undefined
  if (!isObject(choice) || !isObject(message) || message['content'] !== '' || message['tool_calls'] === undefined) return response
  return { ...response, choices: [{ ...choice, message: { ...message, content: null } }] }
}

export function geminiStream(context: ResponseContext): ChatStream {
  const reader = createReader(context)
  const toClientChunks = (chunks: readonly JsonObject[]) => (context.callsFunctions === true ? chunks.map(chunkWithFunctionCall) : chunks)
  return {
    event(data) {
      const json = parseJson(data)
      const step = json === undefined ? beyond(data, reader) : reader.take(json)
      return context.callsFunctions === true ? { ...step, chunks: toClientChunks(step.chunks) } : step
    },
    end() {
      const { rest, ...end } = reader.end()
      return rest === undefined ? end : { ...end, rest: toClientChunks(rest) }
    },
  }
}

/** An event that cannot be translated, because it is beyond the limits of parsing: the usage in it is read. */
function beyond(data: string, reader: ResponseReader): StreamStep {
  const json = shallowJson(data)
  if (json === undefined) return reader.take(json)
  reader.take(json)
  const failure = { ...unusable('an event that is beyond the limits of parsing'), unread: { usage: reader.end().usage, text: '' } }
  return { chunks: [], text: '', failure }
}
