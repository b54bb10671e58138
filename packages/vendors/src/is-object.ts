import { ExactNumber, parseExactly } from './exact-json.ts'
import type { Json, JsonObject } from './json.ts'
import { excessOf } from './json-counter.ts'

/** For values parsed from JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
}

/** Parses JSON text, and keeps numbers as they are written; `undefined` = invalid, or it would take too long to parse, to walk through or to write again. */
export function parseJson(text: string): Json | undefined {
  if (excessOf(text) !== null) return undefined
  try {
    return parseExactly(text)
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

/** Looks up a row by an untrusted key; inherited names (`constructor`) find no row. */
export function lookUp<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
