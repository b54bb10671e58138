import type { Json, JsonObject } from './json.ts'

/** For values parsed from JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Deepest nesting of lists and objects. Code that walks through JSON recurses, and JSON that is nested more than some ten thousand times takes seconds
 * to be refused by `JSON.stringify`. A text of so few characters is not nested deeply enough to matter, so it is not searched.
 */
const depthMax = 512
const unsearchedChars = 4_096

/** Parses JSON text; `undefined` = invalid, or nested too deeply. */
export function parseJson(text: string): Json | undefined {
  if (text.length > unsearchedChars && isTooDeep(text)) return undefined
  try {
    // Holds: whatever JSON.parse returns is JSON.
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const [quote, backslash] = [0x22, 0x5c]

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === quote) at = endOfString(text, at + 1)
    else if (char === 0x5b || char === 0x7b) depth += 1
    else if (char === 0x5d || char === 0x7d) depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

/** Position of the quote that ends a string, or the length of the text. Long strings without escapes are searched natively. */
function endOfString(text: string, start: number): number {
  const found = text.indexOf('"', start)
  if (found < 0) return text.length
  if (text.charCodeAt(found - 1) !== backslash) return found
  let at = start
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

/** Whether a member of a request is there: many clients send `null` for what they leave out. */
export function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

/** Looks up a row by an untrusted key; inherited names (`constructor`) find no row. */
export function lookUp<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
