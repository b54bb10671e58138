import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream } from '../../core/stream.ts'
import { usageObject } from '../../core/usage-object.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { responsesAsChat } from './as-chat.ts'

// Responses as chats, for clients that send a Responses request to the path of chats and read a chat.

/** The chunks of a chat for the events of one response. */
export interface ChatChunks {
  /** What a chat has in the place of an event: chunks, or an error. */
  event(data: string): readonly JsonObject[]
  /** The response is complete, so that the terminator of a chat follows. */
  readonly isComplete: boolean
}

/** @param wantsUsage whether the client requested a chunk with the usage */
export function createChatChunks(wantsUsage: boolean): ChatChunks {
  let context = contextOf({})
  let stream: ChatStream | null = null
  let isComplete = false

  function finish(chat: ChatStream): readonly JsonObject[] {
    isComplete = true
    const { usage } = chat.end()
    const { id, created, model } = context
    return wantsUsage && usage !== null
      ? [{ id, object: 'chat.completion.chunk', created, model, choices: [], usage: usageObject(usage) }]
      : []
  }

  return {
    event(data) {
      const event = parseJson(data)
      // An error of the gateway is no event of a response.
      if (isObject(event) && event['type'] === undefined && event['error'] !== undefined) return [event]
      if (isObject(event) && isObject(event['response']) && stream === null) context = contextOf(event['response'])
      stream ??= responsesAsChat.stream(context)
      const { chunks, failure, isLast } = stream.event(data)
      if (failure !== null) return [errorOf(failure)]
      const outputChunks = chunks.map(chunkWithFunctions)
      return isLast === true ? [...outputChunks, ...finish(stream)] : outputChunks
    },
    get isComplete() {
      return isComplete
    },
  }
}

/** A whole response as a chat; `null` = it is none. */
export function toChatResponse(response: JsonObject): JsonObject | null {
  const read = responsesAsChat.response(response, contextOf(response))
  if (read === null || 'kind' in read) return null
  const choices = objectsIn(read.response['choices']).map((choice) => ({ ...choice, message: withFunctions(choice['message']) }))
  return { ...read.response, choices }
}

function contextOf({ id, created_at: created, model }: JsonObject): ResponseContext {
  return { id: textOr(id, ''), created: typeof created === 'number' ? created : 0, model: textOr(model, '') }
}

function errorOf({ message, type, param, code }: Failure): JsonObject {
  return { error: { message, type, param, code } }
}

function chunkWithFunctions(chunk: JsonObject): JsonObject {
  return { ...chunk, choices: objectsIn(chunk['choices']).map((choice) => ({ ...choice, delta: withFunctions(choice['delta']) })) }
}

/**
 * A message or a part of one, whose calls of custom tools have the form of a function's call, with the text as its arguments: Cursor knows no
 * other (github.com/icebear0828/codex-proxy/pull/708, read 2026-11-25).
 */
function withFunctions(message: JsonObject[string]): JsonObject {
  if (!isObject(message)) return {}
  const { tool_calls: calls } = message
  return Array.isArray(calls) ? { ...message, tool_calls: objectsIn(calls).map(functionCall) } : message
}

function functionCall(call: JsonObject): JsonObject {
  const { custom, type, ...rest } = call
  if (!isObject(custom)) return call
  const { name, input } = custom
  return {
    ...rest,
    ...(type === undefined ? {} : { type: 'function' }),
    function: { ...(name === undefined ? {} : { name }), arguments: input ?? '' },
  }
}
