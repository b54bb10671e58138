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
