import { withoutExtras } from '../extra-content.ts'
import { isGiven, isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { AnswerMember } from './request-rule.ts'

/** Whether a message of a chat has the member, or a call in it, which may have what its vendor wants back. */
export function hasMember(messages: Json | undefined, name: AnswerMember): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && has(message, name))
}

function has(message: JsonObject, name: AnswerMember): boolean {
  if (name in message) return true
  const { tool_calls: calls } = message
  return name === 'extra_content' && Array.isArray(calls) && calls.some((call) => isObject(call) && name in call)
}

/** @returns the list itself if no message has one of the members */
export function withoutMembers(messages: readonly Json[], names: readonly AnswerMember[]): readonly Json[] {
  const hasOne = (message: Json): message is JsonObject => isObject(message) && names.some((name) => has(message, name))
  if (!messages.some(hasOne)) return messages
  const kept = messages.map((message) => (hasOne(message) ? without(message, names) : message))
  const plain = names.includes('extra_content') ? withoutExtras({ messages: kept })['messages'] : kept
  return Array.isArray(plain) ? plain : kept
}

/** What the model refused to say was all that it said. */
function without(message: JsonObject, names: readonly string[]): JsonObject {
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)))
  const { content, refusal } = message
  return !isGiven(content) && typeof refusal === 'string' && names.includes('refusal') ? { ...kept, content: refusal } : kept
}
