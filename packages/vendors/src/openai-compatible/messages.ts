import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** The body with `change` applied to each message. */
export function withMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): JsonObject {
  const { messages } = body
  return Array.isArray(messages) ? { ...body, messages: messages.map((message) => (isObject(message) ? change(message) : message)) } : body
}

/** For vendors that accept only `system`, and not `developer`, OpenAI's newer name of that role. */
export function developerToSystem(message: JsonObject): JsonObject {
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message
}

/** The same for the whole body. */
export function withSystemRole(body: JsonObject): JsonObject {
  return withMessages(body, developerToSystem)
}

/** For vendors that call a message's reasoning `reasoning`: what a client returns in `reasoning_content` gets that name. */
export function withReasoningField(message: JsonObject): JsonObject {
  const { reasoning_content: thought, ...rest } = message
  return thought === undefined || 'reasoning' in message ? message : { ...rest, reasoning: thought }
}

/**
 * After a tool call, some vendors want `reasoning_content` in every message of the assistant: `lost`, if the client lost it.
 * @param isNeeded whether the body needs it; missing = it does if a message has tool calls
 */
export function withReasoningOfTurns(body: JsonObject, lost: string, isNeeded: (body: JsonObject) => boolean = hasCalls): JsonObject {
  if (!isNeeded(body)) return body
  return withMessages(body, (message) => {
    if (message['role'] !== 'assistant') return message
    const thought = message['reasoning_content']
    return typeof thought === 'string' && thought !== '' ? message : { ...message, reasoning_content: lost }
  })
}

function hasCalls({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && Array.isArray(message['tool_calls']))
}
