import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/**
 * Keywords of strict schemas (OpenAI, "Structured outputs", "Supported schemas", read 2026-11-22). Of others, some are refused; those are what the
 * vendor lists.
 */
const keywords: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$ref', '$defs', 'definitions', 'title', 'description', 'type', 'enum', 'const', 'anyOf', 'items'],
  ...['properties', 'required', 'additionalProperties', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
])

/** Whether OpenAI takes a schema with `strict`: a top-level object, closed objects that require all properties, bare references, no other keywords. */
export function isStrictSchema(schema: Json | undefined): boolean {
  return isObject(schema) && schema['anyOf'] === undefined && schema['type'] === 'object' && isStrict(schema)
}

function isStrict(schema: Json | undefined): boolean {
  if (!isObject(schema)) return false
  const { properties, items, anyOf, $defs, definitions, type, additionalProperties: others, $ref: reference } = schema
  if (reference !== undefined) return Object.keys(schema).length === 1
  if (Object.keys(schema).some((name) => !keywords.has(name))) return false
  const isAnObject = type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined
  if (isAnObject && (others !== false || !requiresAll(schema))) return false
  const inner = [properties, $defs, definitions].flatMap((named) => (isObject(named) ? Object.values(named) : []))
  return [...inner, ...(items === undefined ? [] : [items]), ...(Array.isArray(anyOf) ? anyOf : [])].every(isStrict)
}

function requiresAll({ properties, required }: JsonObject): boolean {
  const named = new Set(Array.isArray(required) ? required : [])
  return isObject(properties) && Object.keys(properties).every((name) => named.has(name))
}
