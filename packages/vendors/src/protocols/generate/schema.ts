import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Members that only Google's form of a schema has. */
const ownMembers: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering', 'property_ordering', 'example'])

/** Members whose values are schemas by name. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'defs', 'definitions'])

/**
 * A schema in Google's form (`Schema`: types in capitals, `nullable`) as JSON Schema (Gemini API reference, "Schema", a stored copy read
 * 2026-11-22). A JSON Schema is returned as it is.
 */
export function toJsonSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(toJsonSchema)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).flatMap(([name, value]): [string, Json][] =>
    ownMembers.has(name) ? [] : [[camel(name), translated(name, value)]],
  )
  const plain = Object.fromEntries(entries)
  const { example, nullable: mayBeNull } = schema
  if (example === undefined && mayBeNull !== true) return plain
  return { ...(mayBeNull === true ? nullable(plain) : plain), ...(example === undefined ? {} : { examples: [example] }) }
}

function translated(name: string, value: Json | undefined): Json {
  if (value === undefined) return null
  if (name === 'type' && typeof value === 'string') return value.toLowerCase()
  if (named.has(name) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]): [string, Json] => [key, toJsonSchema(inner ?? null)]))
  if (counts.has(name) && typeof value === 'string') return Number(value)
  return name === 'enum' || name === 'default' || name === 'required' || name === 'const' ? value : toJsonSchema(value)
}

/** 64-bit numbers are texts in Google's JSON. */
const counts: ReadonlySet<string> = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])

const camel = (name: string): string =>
  /^(?:min|max|any)_/.test(name) ? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name

function nullable(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}
