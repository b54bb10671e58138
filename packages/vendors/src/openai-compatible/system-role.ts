import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** For vendors that know the role `system` only: OpenAI's newer name for it is turned back. */
export function developerToSystem(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  return {
    ...body,
    messages: messages.map((message) => (isObject(message) && message['role'] === 'developer' ? { ...message, role: 'system' } : message)),
  }
}
