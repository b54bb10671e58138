import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** Keywords that structured output refuses (Anthropic, "Structured outputs", "JSON Schema limitations", read 2026-11-21). */
const refusedKeywords = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])
const knownFormats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Keywords whose value maps names to schemas: the names are not keywords. */
const namedSchemas = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Keywords whose value is data, not schema. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'required'])

/** Converts a schema for structured output: closed objects, no limits on numbers and lengths, `anyOf` for `oneOf`. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const cleaned = Object.fromEntries(Object.entries(schema).flatMap(cleanKeyword))
  return mayBeObject(cleaned) ? { ...cleaned, additionalProperties: false } : cleaned
}

function cleanKeyword([keyword, value]: [string, Json | undefined]): ReadonlyArray<readonly [string, Json | undefined]> {
  if (refusedKeywords.has(keyword)) return []
  if (keyword === 'format' && typeof value === 'string' && !knownFormats.has(value)) return []
  if (dataKeywords.has(keyword)) return [[keyword, value]]
  if (namedSchemas.has(keyword) && isObject(value)) return [[keyword, cleanNamed(value)]]
  return [[keyword === 'oneOf' ? 'anyOf' : keyword, cleanValue(value)]]
}

function mayBeObject({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties)
}

function cleanNamed(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleanValue(schema)]))
}

function cleanValue(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? cleanSchema(item) : item))
  return isObject(value) ? cleanSchema(value) : value
}
