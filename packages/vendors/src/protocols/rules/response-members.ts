import { isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseMember } from '../../core/request-rule.ts'
import { withoutExtras } from '../shared/extra-content.ts'

/** Whether a message of a chat has one of the members, or a call in it, which may have what its vendor wants back. Runs for every chat. */
export function hasMember(messages: Json | undefined, names: readonly ResponseMember[]): boolean {
  if (!Array.isArray(messages)) return false
  const looksIntoCalls = names.includes('extra_content')
  for (const message of messages) {
    // What others than the model say is the client's own.
    if (isObject(message) && message['role'] === 'assistant' && has(message, names, looksIntoCalls)) return true
  }
  return false
}

function has(message: JsonObject, names: readonly ResponseMember[], looksIntoCalls: boolean): boolean {
  for (const name of names) if (message[name] !== undefined) return true
  const { tool_calls: calls } = message
  if (!looksIntoCalls || !Array.isArray(calls)) return false
  for (const call of calls) if (isObject(call) && call['extra_content'] !== undefined) return true
  return false
}

/** @returns the list itself if no message has one of the members */
export function withoutMembers(messages: readonly Json[], names: readonly ResponseMember[]): readonly Json[] {
  if (!hasMember(messages, names)) return messages
  const kept = messages.map((message) => (isObject(message) && message['role'] === 'assistant' ? without(message, names) : message))
  const plain = names.includes('extra_content') ? withoutExtras({ messages: kept })['messages'] : kept
  return Array.isArray(plain) ? plain : kept
}

/** What the model refused to say was all that it said. */
function without(message: JsonObject, names: readonly string[]): JsonObject {
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)))
  const { content, refusal } = message
  return !isGiven(content) && typeof refusal === 'string' && names.includes('refusal') ? { ...kept, content: refusal } : kept
}
