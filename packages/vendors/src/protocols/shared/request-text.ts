import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { withChangedItems } from './changed-items.ts'

/** How an escaped half of a pair begins. Characters that are whole are written as they are, so other texts have it behind a backslash only. */
const beginning = '\\ud'

const escapeLength = 6
const backslash = 0x5c
const whole = '\ufffd'

/**
 * The JSON of a body, with U+FFFD in place of halves of pairs: a program that cut a text within an emoji leaves one, and vendors refuse the request, with
 * every later one of the conversation (anomalyco/opencode 17758, read 2026-11-30).
 */
export function writtenBody(body: JsonObject, rewrites: Rewrites): string {
  const text = JSON.stringify(body)
  if (!text.includes(beginning) || !rewrites.may('characters')) return text
  const changed = JSON.stringify(wellFormed(withWholeArguments(body)))
  if (changed !== text) rewrites.note('characters', 'half of a pair -> U+FFFD')
  return changed
}

/** A value with its texts and names well-formed. Texts are changed whole: a request may have millions of halves. */
function wellFormed(value: Json): Json {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]))
  return Object.fromEntries(members.map(([name, member]) => [name.toWellFormed(), wellFormed(member)]))
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

const isHex = (code: number): boolean => (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66)
const lower = (text: string, at: number): number => text.charCodeAt(at) | 0x20

/** Which half of a pair is escaped behind the backslash there: 1, 2, or 0 for none. */
function halfAt(text: string, at: number): 0 | 1 | 2 {
  if (text.charCodeAt(at + 1) !== 0x75 || lower(text, at + 2) !== 0x64) return 0
  const third = lower(text, at + 3)
  if (!isHex(third) || third < 0x38 || !isHex(lower(text, at + 4)) || !isHex(lower(text, at + 5))) return 0
  return third < 0x63 ? 1 : 2
}

/** The text of JSON without escaped halves of pairs; `null` = it has none. Without an expression, because a text may have millions of escapes. */
function wholeIn(text: unknown): string | null {
  if (typeof text !== 'string' || !text.includes('\\u')) return null
  let changed = ''
  let kept = 0
  for (let at = text.indexOf('\\'); at !== -1; ) {
    const half = halfAt(text, at)
    const isPair = half === 1 && text.charCodeAt(at + escapeLength) === backslash && halfAt(text, at + escapeLength) === 2
    if (half === 0 || isPair) {
      at = text.indexOf('\\', at + (isPair ? 2 * escapeLength : 2))
      continue
    }
    if (at > kept) changed += text.slice(kept, at)
    changed += whole
    kept = at + escapeLength
    at = text.charCodeAt(kept) === backslash ? kept : text.indexOf('\\', kept)
  }
  return kept === 0 ? null : changed + text.slice(kept)
}
