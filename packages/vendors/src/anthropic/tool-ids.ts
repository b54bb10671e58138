import { isObject, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { createNaming } from './naming.ts'

/** Messages API, "Tool use", read 2026-11-21. */
const accepted = /^[a-zA-Z0-9_-]+$/

/**
 * Rewrites tool call ids as the vendor accepts them: of its characters, and unique in a conversation. Other vendors use ids such as
 * `functions.weather:0`, the same id in every turn, or none. A result is matched to the oldest call of its id without one.
 */
export function withToolIds(messages: readonly JsonObject[]): readonly JsonObject[] {
  const naming = createNaming()
  const waiting = new Map<string, string[]>()

  function call(id: string): string {
    const sent = accepted.test(id) && !naming.isTaken(id) ? naming.take(id) : naming.takeLike(id)
    const queue = waiting.get(id)
    if (queue === undefined) waiting.set(id, [sent])
    else queue.push(sent)
    return sent
  }

  return messages.map((message) => {
    const { role, tool_calls: calls, tool_call_id: id } = message
    if (role === 'tool') return { ...message, tool_call_id: waiting.get(textOr(id, ''))?.shift() ?? textOr(id, '') }
    if (role !== 'assistant' || !Array.isArray(calls)) return message
    return { ...message, tool_calls: calls.filter(isObject).map((item) => ({ ...item, id: call(textOr(item['id'], '')) })) }
  })
}
