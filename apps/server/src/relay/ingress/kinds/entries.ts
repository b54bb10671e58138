import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../../lib/app-error.ts'

/**
 * Most messages, parts, calls and tools of a request together. Each takes some microseconds to be translated, in one step during which nothing
 * else is served. OpenAI refuses more than 2,048 messages.
 */
export const entriesMax = 10_000

/**
 * Most values in all that a request has beside its messages: schemas of tools and of the response, lists of names. A value takes up to a
 * microsecond to be translated. OpenAI's strict schemas have at most 5,000 properties ("Structured outputs", read in a copy 2026-11-27).
 */
export const valuesMax = 50_000

/** Members of a request that hold messages, in all protocols of clients, with both spellings of Google's. */
const messageMemberNames = ['messages', 'contents', 'input', 'system', 'systemInstruction', 'system_instruction'] as const
/** Members that hold entries. */
const outer = [...messageMemberNames, 'tools', 'functions'] as const
/** Members of an entry that hold further ones. What a function gets or returns as JSON is one value, however long its lists are. */
const inner = [
  ...['content', 'parts', 'tool_calls', 'output', 'summary', 'source', 'tools'],
  ...['functionDeclarations', 'function_declarations', 'functionResponse', 'function_response'],
] as const

const messageMembers: ReadonlySet<string> = new Set(messageMemberNames)

/** @throws AppError too_many_entries, too_many_values, with the member of the request that has them */
export function needFewEntries(body: JsonObject): void {
  let count = 0
  for (const name of outer) {
    count += entriesIn(body[name])
    if (count > entriesMax) throw new AppError('too_many_entries', { params: { name, max: entriesMax } })
  }
  let values = 0
  for (const name in body) {
    if (messageMembers.has(name)) continue
    values += valuesIn(body[name])
    if (values > valuesMax) throw new AppError('too_many_values', { params: { name, max: valuesMax } })
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

/** Elements of lists and members of objects, at any depth. */
function valuesIn(value: Json | undefined): number {
  let count = 0
  if (Array.isArray(value)) for (const element of value) count += 1 + valuesIn(element)
  else if (isObject(value)) for (const name in value) count += 1 + valuesIn(value[name])
  return count
}
