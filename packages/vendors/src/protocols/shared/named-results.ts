import { textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { callsIn } from './chat-parts.ts'

interface Call {
  readonly place: number
  readonly name: string
}

/**
 * A chat's messages for vendors whose results name the function and not the call: each result has the name of its call, and those that stand
 * together are in the order of the calls. An id means the last call that had it, because some vendors use the same ids in every turn.
 */
export function withNamedResults(messages: readonly JsonObject[]): readonly JsonObject[] {
  const calls = new Map<string, Call>()
  const reordered: JsonObject[] = []
  let results: JsonObject[] = []
  let count = 0

  function end(): void {
    for (const result of inOrder(results, calls)) reordered.push(result)
    results = []
  }

  for (const message of messages) {
    if (message['role'] === 'tool') {
      results.push(message)
      continue
    }
    end()
    reordered.push(message)
    for (const { id, name } of callsIn(message)) {
      calls.set(id, { place: count, name })
      count += 1
    }
  }
  end()
  return reordered
}

function inOrder(results: readonly JsonObject[], calls: ReadonlyMap<string, Call>): readonly JsonObject[] {
  return results
    .map((result) => ({ result, call: calls.get(textOr(result['tool_call_id'], '')) }))
    .toSorted((one, other) => (one.call?.place ?? 0) - (other.call?.place ?? 0))
    .map(({ result, call }) => (call === undefined ? result : { ...result, name: call.name }))
}
