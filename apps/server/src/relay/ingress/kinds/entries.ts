import { isObject } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { AppError } from '../../../lib/app-error.ts'

/**
 * Most messages, parts, calls and tools of a request together. Each takes some microseconds to be translated, in one step during which nothing
 * else is served. OpenAI refuses more than 2,048 messages.
 */
export const entriesMax = 10_000

/** Members of a request that hold entries, in all protocols of clients, with both spellings of Google's. */
const outer = ['messages', 'contents', 'input', 'system', 'systemInstruction', 'system_instruction', 'tools'] as const
/** Members of an entry that hold further ones. What a function gets or returns as JSON is one value, however long its lists are. */
const inner = [
  ...['content', 'parts', 'tool_calls', 'output', 'summary', 'source', 'tools'],
  ...['functionDeclarations', 'function_declarations', 'functionResponse', 'function_response'],
] as const

/** @throws AppError too_many_entries, with the member of the request that has them */
export function needFewEntries(body: JsonObject): void {
  let count = 0
  for (const name of outer) {
    count += entriesIn(body[name])
    if (count > entriesMax) throw new AppError('too_many_entries', { params: { name, max: entriesMax } })
  }
}

/** The depth of parsed JSON is bounded, and so is that of this function. */
function entriesIn(value: Json | undefined): number {
  if (Array.isArray(value)) {
    let count = value.length
    for (const entry of value) count += entriesIn(entry)
    return count
  }
  if (!isObject(value)) return 0
  let count = 0
  for (const name of inner) {
    const member = value[name]
    if (typeof member === 'object') count += entriesIn(member)
  }
  return count
}
