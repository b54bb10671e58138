import type { Json, JsonObject } from './json.ts'

/** For values that came out of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON text as a value; `undefined` where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    // Holds: whatever JSON.parse returns is JSON.
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

/** A row of a table by a key from outside: names that every object inherits (`constructor`) are no rows. */
export function lookUp<Row>(table: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
