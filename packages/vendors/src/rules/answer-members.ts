import { isGiven, isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { AnswerMember } from './request-rule.ts'

/** Whether a message of a chat has the member. */
export function hasMember(messages: Json | undefined, name: AnswerMember): boolean {
  return Array.isArray(messages) && messages.some((message) => isObject(message) && name in message)
}

/** @returns the list itself if no message has one of the members */
export function withoutMembers(messages: readonly Json[], names: readonly AnswerMember[]): readonly Json[] {
  const has = (message: Json): message is JsonObject => isObject(message) && names.some((name) => name in message)
  return messages.some(has) ? messages.map((message) => (has(message) ? without(message, names) : message)) : messages
}

/** What the model refused to say was all that it said. */
function without(message: JsonObject, names: readonly string[]): JsonObject {
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)))
  const { content, refusal } = message
  return !isGiven(content) && typeof refusal === 'string' && names.includes('refusal') ? { ...kept, content: refusal } : kept
}
