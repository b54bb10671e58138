import { asText, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { callsIn, formatInstruction, objectsIn, textOfContent } from '../../protocols/shared/chat-parts.ts'

/** The turns of a chat, and what its system messages say. */
export interface Turns {
  readonly messages: readonly JsonObject[]
  readonly system: string
}

/**
 * Turns as the vendor takes them: they alternate, begin with the user's, and every call of a function is followed by its result. Turns of
 * the same side are joined, and what is missing between two sides is a turn with one point.
 */
export function turnsOf(chat: JsonObject): Turns {
  const all = objectsIn(chat['messages'])
  const system = all.filter(({ role }) => role === 'system' || role === 'developer').map(({ content }) => textOfContent(content))
  const results = new Map(all.filter(({ role }) => role === 'tool').map((message) => [textOr(message['tool_call_id'], ''), message]))
  const joined = alternating(all.flatMap((message) => turnOf(message, results)))
  return {
    messages: joined.at(-1)?.['role'] === 'assistant' ? [...joined, filler] : joined,
    system: [...system, formatInstruction(chat)].filter((text) => text !== '').join('\n'),
  }
}

const filler: JsonObject = { role: 'user', content: '.' }

function turnOf(message: JsonObject, results: ReadonlyMap<string, JsonObject>): readonly JsonObject[] {
  const { role, content } = message
  if (role === 'user') return [{ role, content: textOfContent(content) || '.' }]
  if (role !== 'assistant') return []
  const calls = callsIn(message)
  if (calls.length === 0) return [{ role, content: textOfContent(content) || '.' }]
  return calls.flatMap(({ id, name, input }) => [
    { role, content: '', function_call: { name, arguments: input } },
    { role: 'function', name, content: textOfContent(results.get(id)?.['content']) || '{}' },
  ])
}

function alternating(turns: readonly JsonObject[]): readonly JsonObject[] {
  // One list that grows: a copy for each turn would take time in the square of their number.
  const result: JsonObject[] = []
  for (const turn of turns) {
    const last = result.at(-1)
    if (turn['role'] === 'user' && last?.['role'] === 'user') result.pop()
    result.push(...afterTurn(last, turn))
  }
  return result
}

/** The turn with what goes between it and the one before; joined with that one if both are the user's. */
function afterTurn(last: JsonObject | undefined, turn: JsonObject): readonly JsonObject[] {
  if (turn['role'] === 'assistant') return last === undefined || last['role'] === 'assistant' ? [filler, turn] : [turn]
  if (turn['role'] !== 'user') return [turn]
  if (last?.['role'] === 'user') return [{ role: 'user', content: `${asText(last['content'])}\n${asText(turn['content'])}` }]
  return last?.['role'] === 'function' ? [{ role: 'assistant', content: '.' }, turn] : [turn]
}
