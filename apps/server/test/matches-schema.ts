import type { JsonSchema } from '@sluice/contract/json-schema'

type Schemas = Readonly<Record<string, JsonSchema>>

/** A value, its path, and its schema. */
interface Place {
  readonly at: string
  readonly value: unknown
  readonly schema: JsonSchema
}

/** All differences between a value and its schema. Supports the keywords that our documents use. */
export function differences(value: unknown, schema: JsonSchema, schemas: Schemas): readonly string[] {
  return differencesAt({ at: '$', value, schema }, schemas)
}

function differencesAt({ at, value, schema }: Place, schemas: Schemas): readonly string[] {
  if (schema.$ref !== undefined) {
    const named = schemas[schema.$ref.split('/').at(-1) ?? '']
    return named === undefined ? [`${at}: there is no ${schema.$ref}`] : differencesAt({ at, value, schema: named }, schemas)
  }
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) {
    const each = parts.map((part) => differencesAt({ at, value, schema: part }, schemas))
    return each.some((problems) => problems.length === 0) ? [] : each.flat()
  }
  const wrong = wrongItself(value, schema)
  if (wrong !== null) return [`${at}: ${JSON.stringify(value)?.slice(0, 80)} ${wrong}`]
  const { items } = schema
  if (Array.isArray(value))
    return items === undefined
      ? []
      : value.flatMap((item, index) => differencesAt({ at: `${at}[${index}]`, value: item, schema: items }, schemas))
  return typeof value === 'object' && value !== null ? memberDifferences(value, { at, schema }, schemas) : []
}

/** What is wrong with a value apart from its members. */
function wrongItself(value: unknown, schema: JsonSchema): string | null {
  if (schema.const !== undefined && value !== schema.const) return `is not ${JSON.stringify(schema.const)}`
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `is none of ${JSON.stringify(schema.enum)}`
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `is no ${types.join(' or ')}`
  return isOutOfBounds(value, schema) ? 'is out of bounds' : null
}

function isOutOfBounds(value: unknown, { minimum, maximum, minLength, maxLength }: JsonSchema): boolean {
  const [size, least, most] = typeof value === 'string' ? [value.length, minLength, maxLength] : [Number(value), minimum, maximum]
  return size < (least ?? size) || size > (most ?? size)
}

function memberDifferences(value: object, { at, schema }: Omit<Place, 'value'>, schemas: Schemas): readonly string[] {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name))
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const type = schema.properties?.[name] ?? schema.additionalProperties
    if (type === false) return [`${at}: ${name} is not in the schema`]
    return typeof type === 'object' ? differencesAt({ at: `${at}.${name}`, value: member, schema: type }, schemas) : []
  })
  return [...missing.map((name) => `${at}: ${name} is missing`), ...wrong]
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
