import { isObject, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { createNaming } from './naming.ts'

/** Messages API, "Tool use", read 2026-11-21. */
const accepted = /^[a-zA-Z0-9_-]+$/

/** The calls of one id, in their order; `next` is the first without a result. */
interface Waiting {
  readonly calls: string[]
  next: number
}

/**
 * Rewrites tool call ids as the vendor accepts them: of its characters, and unique in a conversation. Other vendors use ids such as
 * `functions.weather:0`, the same id in every turn, or none. A result is matched to the oldest call of its id without one.
 */
export function withToolIds(messages: readonly JsonObject[]): readonly JsonObject[] {
  const naming = createNaming()
  const waiting = new Map<string, Waiting>()

  function call(id: string): string {
    const sent = accepted.test(id) && !naming.isTaken(id) ? naming.take(id) : naming.takeLike(id)
    const queue = waiting.get(id)
    if (queue === undefined) waiting.set(id, { calls: [sent], next: 0 })
    else queue.calls.push(sent)
    return sent
  }

  return messages.map((message) => {
    const { role, tool_calls: calls, tool_call_id: id } = message
    if (role === 'tool') return { ...message, tool_call_id: takeNext(waiting.get(textOr(id, ''))) ?? textOr(id, '') }
    if (role !== 'assistant' || !Array.isArray(calls)) return message
    return { ...message, tool_calls: calls.filter(isObject).map((item) => ({ ...item, id: call(textOr(item['id'], '')) })) }
  })
}

function takeNext(queue: Waiting | undefined): string | undefined {
  if (queue === undefined) return undefined
  queue.next += 1
  return queue.calls[queue.next - 1]
}
