import { callsIn, formatInstruction, objectsIn, textOfContent } from '../chat-parts.ts'
import { textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

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
  const turns = all.flatMap((message) => turnOf(message, results))
  const joined = turns.reduce<readonly JsonObject[]>(alternated, [])
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

function alternated(turns: readonly JsonObject[], turn: JsonObject): readonly JsonObject[] {
  const last = turns.at(-1)
  const isReply = turn['role'] === 'assistant'
  if (isReply) return last === undefined || last['role'] === 'assistant' ? [...turns, filler, turn] : [...turns, turn]
  if (last?.['role'] === 'user' && turn['role'] === 'user')
    return [...turns.slice(0, -1), { role: 'user', content: `${last['content']}\n${turn['content']}` }]
  return last?.['role'] === 'function' && turn['role'] === 'user' ? [...turns, { role: 'assistant', content: '.' }, turn] : [...turns, turn]
}
