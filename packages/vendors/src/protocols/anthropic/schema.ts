import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

// Anthropic, "Structured outputs", "JSON Schema limitations" and "How SDK transformation works", read 2026-11-30.

/** Keywords that structured output refuses; as in the vendor's own libraries, the model reads them in the description. */
const limits: ReadonlySet<string> = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
])
const knownFormats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Keywords whose value maps names to schemas: the names are not keywords. */
const namedSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
/** Keywords whose value is data, not schema. */
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])

export interface StructuredSchema {
  readonly schema: JsonObject
  /** Whether limits became words. */
  readonly hasWords: boolean
}

/**
 * A schema for structured output: closed objects, limits in the descriptions, `anyOf` for `oneOf`. `null` = it has objects with names of the model's
 * choice, or lists with places, which the vendor refuses.
 */
export function structuredSchema(schema: JsonObject): StructuredSchema | null {
  const words = new Words()
  const cleaned = cleanSchema(schema, words)
  return words.hasFreeNames ? null : { schema: cleaned, hasWords: words.hasLimits }
}

/** What was seen of one schema. */
class Words {
  hasLimits = false
  hasFreeNames = false
}

function cleanSchema(schema: JsonObject, words: Words): JsonObject {
  if (isOpen(schema)) words.hasFreeNames = true
  const phrases: string[] = []
  const cleaned: Record<string, Json | undefined> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (isRefused(keyword, value)) phrases.push(`${keyword}: ${JSON.stringify(value)}`)
    else cleaned[keyword === 'oneOf' ? 'anyOf' : keyword] = cleanKeyword(keyword, value, words)
  }
  if (phrases.length > 0) {
    words.hasLimits = true
    const { description } = schema
    const limited = `(${phrases.join(', ')})`
    cleaned['description'] = typeof description === 'string' && description !== '' ? `${description} ${limited}` : limited
  }
  return mayBeObject(cleaned) ? { ...cleaned, additionalProperties: false } : cleaned
}

function isRefused(keyword: string, value: Json | undefined): boolean {
  if (keyword === 'format') return typeof value === 'string' && !knownFormats.has(value)
  return limits.has(keyword) && !(keyword === 'minItems' && (value === 0 || value === 1))
}

function cleanKeyword(keyword: string, value: Json | undefined, words: Words): Json | undefined {
  if (dataKeywords.has(keyword)) return value
  if (namedSchemas.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, cleanValue(schema, words)]))
  return cleanValue(value, words)
}

function mayBeObject({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties)
}

const isFilled = (value: Json | undefined): boolean => isObject(value) && Object.keys(value).length > 0

/** An object that would be empty if it were closed, or whose further members have a schema; a list whose items are declared one by one. */
function isOpen(schema: JsonObject): boolean {
  const { properties, patternProperties, additionalProperties: others, prefixItems, items } = schema
  if (isFilled(patternProperties) || isFilled(others) || Array.isArray(prefixItems) || Array.isArray(items)) return true
  // Without additional ones said, an empty list of properties is how a function without parameters is written.
  const isListed = others === undefined ? properties !== undefined : isFilled(properties)
  return mayBeObject(schema) && others !== false && !isListed && !hasOtherMembers(schema)
}

/** Members of an object that are not among its own properties. */
const hasOtherMembers = ({ $ref: reference, anyOf, oneOf, allOf }: JsonObject): boolean =>
  [reference, anyOf, oneOf, allOf].some((value) => value !== undefined)

function cleanValue(value: Json | undefined, words: Words): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? cleanSchema(item, words) : item))
  return isObject(value) ? cleanSchema(value, words) : value
}
