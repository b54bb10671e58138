import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** A body whose messages have each gone through `change`. */
export function withMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): JsonObject {
  const { messages } = body
  return Array.isArray(messages) ? { ...body, messages: messages.map((message) => (isObject(message) ? change(message) : message)) } : body
}

/** For vendors that know the role `system` only: OpenAI's newer name for it is turned back. */
export function developerToSystem(message: JsonObject): JsonObject {
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message
}
