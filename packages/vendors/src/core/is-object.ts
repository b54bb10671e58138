import { parseExactly, parseForeign } from './exact-json.ts'
import { ExactNumber } from './exact-number.ts'
import type { Json, JsonObject } from './json.ts'
import { excessOf, type JsonTally } from './json-counter.ts'

/** For values parsed from JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** Parses JSON text, and keeps numbers as they are written; `undefined` = invalid, or it would take too long to parse, to walk through or to write again. */
export function parseJson(text: string): Json | undefined {
  return parsedBy(parseExactly, text)
}

/** The arguments of a call as an object: some send an object, others its JSON, or a text of that. Empty: they are none of these. */
export function argumentsIn(value: Json | undefined): JsonObject {
  return objectIn(value) ?? {}
}

/**
 * The arguments in a response as an object. Those that are not an object become its only member, so that whoever validates them can show the
 * model what it wrote (`_raw`, as in github.com/bigduu/Bamboo-agent/pull/359, read 2026-11-30). Empty: there are none.
 * @param tally counts what a text within the text has
 */
export function responseArguments(text: string, tally: JsonTally): JsonObject {
  const trimmed = text.trim()
  return trimmed === '' || trimmed === 'null' ? {} : (objectIn(text, tally) ?? { _raw: text })
}

function objectIn(value: Json | undefined, tally?: JsonTally): JsonObject | null {
  const read = typeof value === 'string' ? parseToolJson(value) : value
  if (isObject(read)) return read
  if (typeof read !== 'string' || typeof value !== 'string') return null
  tally?.add(read)
  const inner = (tally?.excess ?? null) === null ? parseToolJson(read) : undefined
  return isObject(inner) ? inner : null
}

/** As `parseJson`, for arguments and results of tools: all numbers keep their text. */
export function parseToolJson(text: string): Json | undefined {
  return parsedBy(parseForeign, text)
}

function parsedBy(parse: (text: string) => Json, text: string): Json | undefined {
  if (excessOf(text) !== null) return undefined
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Whether a member of a request is there: many clients send `null` for what they leave out. */
export function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

/** `String`, which throws for an object with a member `toString`, as any client or vendor may send; empty for such an object. */
export function asText(value: Json | undefined): string {
  try {
    return String(value)
  } catch {
    return ''
  }
}

/** `Number`, which throws for the same objects; `NaN` for them. */
export function asNumber(value: Json | undefined): number {
  try {
    return Number(value)
  } catch {
    return Number.NaN
  }
}

/** Looks up a row by an untrusted key; inherited names (`constructor`) find no row. */
export function lookUp<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
