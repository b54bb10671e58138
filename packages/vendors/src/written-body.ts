import { isObject } from './is-object.ts'
import type { JsonObject } from './json.ts'
import { withChangedItems } from './media/changed-items.ts'
import type { Rewrites } from './rewrites.ts'

/** How an escaped half of a pair begins. Characters that are whole are written as they are, so other texts have it behind a backslash only. */
const beginning = '\\ud'

const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g
const escapeLength = 6
const whole = '\ufffd'

/**
 * The JSON of a body, with U+FFFD in place of halves of pairs: a program that cut a text within an emoji leaves one, and vendors refuse the request, with
 * every later one of the conversation (anomalyco/opencode 17758, read 2026-11-30).
 */
export function writtenBody(body: JsonObject, rewrites: Rewrites): string {
  const text = JSON.stringify(body)
  if (!text.includes(beginning) || !rewrites.may('characters')) return text
  const changed = wellFormed(JSON.stringify(withWholeArguments(body)))
  if (changed !== text) rewrites.note('characters', 'half of a pair -> U+FFFD')
  return changed
}

/** JSON that this process has written. */
function wellFormed(text: string): string {
  return text.replaceAll(escapes, (found) => (found.length === escapeLength ? whole : found))
}

/** Arguments of calls are a text of JSON, in which halves may be escaped; pairs may be, too. */
function withWholeArguments(body: JsonObject): JsonObject {
  const chat = withChangedItems(body, 'messages', (message) =>
    withChangedItems(message, 'tool_calls', (call) => {
      const { function: called } = call
      return isObject(called) ? withWholeText(call, called) : call
    }),
  )
  return withChangedItems(chat, 'input', (item) => {
    const text = wholeIn(item['arguments'])
    return text === null ? item : { ...item, arguments: text }
  })
}

function withWholeText(call: JsonObject, called: JsonObject): JsonObject {
  const text = wholeIn(called['arguments'])
  return text === null ? call : { ...call, function: { ...called, arguments: text } }
}

const innerEscapes = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|ud[89a-f][0-9a-f]{2}|.)/gis

/** `null` = it has no halves. */
function wholeIn(text: unknown): string | null {
  if (typeof text !== 'string' || !text.includes('\\u')) return null
  const changed = text.replaceAll(innerEscapes, (found) => (found.length === escapeLength ? whole : found))
  return changed === text ? null : changed
}
