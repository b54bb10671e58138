import { asText, isObject, lookUp } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Rewrites } from '../rewrites.ts'

/** Where a protocol's requests have the schema of a function: in a member of a tool, or of an object in it. */
interface SchemaPlace {
  readonly member: 'parameters' | 'input_schema'
  /** `null` = the tool has none. */
  readonly holder: (tool: JsonObject) => JsonObject | null
  /** The tool with another holder. */
  readonly put: (tool: JsonObject, holder: JsonObject) => JsonObject
}

/** Other tools are those of a vendor, and have schemas of their own. */
const itself = (types: readonly unknown[]): Pick<SchemaPlace, 'holder' | 'put'> => ({
  holder: (tool) => (types.includes(tool['type'] ?? null) ? tool : null),
  put: (_tool, declared) => declared,
})

const places: Readonly<Record<'chat' | 'message' | 'response', SchemaPlace>> = {
  chat: {
    member: 'parameters',
    holder: ({ function: declared }) => (isObject(declared) ? declared : null),
    put: (tool, declared) => ({ ...tool, function: declared }),
  },
  message: { member: 'input_schema', ...itself([null, 'custom']) },
  response: { member: 'parameters', ...itself(['function']) },
}

/** What a vendor wants at the top of a schema of a function. */
export interface SchemaForm {
  /** No `anyOf`, `oneOf` and `allOf`. */
  readonly lacksUnions?: true
  readonly wantsType?: true
  readonly wantsProperties?: true
}

interface SchemaWish {
  readonly place: keyof typeof places
  readonly form: SchemaForm
  readonly rewrites: Rewrites
}

/** OpenAI (langchain-ai/langchainjs 9804 and chatanywhere/GPT_API_free 403, read 2026-11-30; "object schema missing properties"). */
export const openaiSchemas: SchemaForm = { lacksUnions: true, wantsType: true, wantsProperties: true }
/** Claude (anthropics/claude-code 5319, read 2026-11-30; "Tool definitions", `input_schema`, read 2026-11-21). */
export const claudeSchemas: SchemaForm = { lacksUnions: true, wantsType: true }

/**
 * The request with schemas of functions that the vendor takes: as it wants them at the top, and without `type: null`, which some clients write for "no
 * type" (Wei-Shaw/sub2api 5364, read 2026-11-30).
 */
export function withPlainSchemas(body: JsonObject, rule: SchemaWish): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools) || !hasOdd(tools, rule) || !rule.rewrites.may('tools')) return body
  return { ...body, tools: tools.map((tool) => (isObject(tool) && isOdd(tool, rule) ? withPlainSchema(tool, rule) : tool)) }
}

function withPlainSchema(tool: JsonObject, { place: protocol, form, rewrites }: SchemaWish): JsonObject {
  const place = places[protocol]
  const { [place.member]: schema, ...declared } = place.holder(tool) ?? {}
  rewrites.note('tools', `${place.member} of ${asText(declared['name'])}`)
  return place.put(tool, isObject(schema) ? { ...declared, [place.member]: plainSchema(schema, form) } : declared)
}

function hasOdd(tools: readonly Json[], wish: SchemaWish): boolean {
  for (const tool of tools) if (isOdd(tool, wish)) return true
  return false
}

const isUnion = ({ anyOf, oneOf, allOf }: JsonObject): boolean => anyOf !== undefined || oneOf !== undefined || allOf !== undefined

/** Every tool is looked at, so only at the top of its schema and at its properties. */
function isOdd(tool: Json, { place: protocol, form }: SchemaWish): boolean {
  const place = places[protocol]
  const schema = isObject(tool) ? place.holder(tool)?.[place.member] : undefined
  if (!isObject(schema)) return schema === null
  const { type, properties } = schema
  if (type === null || (isObject(properties) && hasNullType(properties))) return true
  if (form.lacksUnions === true && isUnion(schema)) return true
  if (schema['$ref'] !== undefined) return false
  return (form.wantsType === true && type !== 'object') || (form.wantsProperties === true && !isObject(properties))
}

function hasNullType(properties: JsonObject): boolean {
  for (const name in properties) {
    const property = properties[name]
    if (isObject(property) && property['type'] === null) return true
  }
  return false
}

function plainSchema(schema: JsonObject, { lacksUnions, wantsProperties }: SchemaForm): JsonObject {
  const typed = withoutNullTypes(schema)
  if (!isObject(typed)) return schema
  const whole = lacksUnions === true ? withoutUnions(typed) : typed
  const isBare = Object.keys(whole).length === 0 || (wantsProperties === true && !isObject(whole['properties']))
  return { ...whole, type: 'object', ...(isBare ? { properties: {} } : {}) }
}

/** Requests are nested no deeper than their parser allows. */
function withoutNullTypes(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutNullTypes)
  if (!isObject(schema)) return schema
  const members = Object.entries(schema).filter(([name, value]) => name !== 'type' || value !== null)
  return Object.fromEntries(members.map(([name, value]) => [name, value === undefined ? null : withoutNullTypes(value)]))
}

/** The properties of all alternatives; what all of them require is required. Alternatives of another kind are left out. */
function withoutUnions(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema
  if (anyOf === undefined && oneOf === undefined && allOf === undefined) return schema
  const named = (list: Json | undefined) => objectsOf(list).map((one) => definitionIn(schema, one))
  const together = named(allOf)
  const alternatives = [named(anyOf), named(oneOf)].filter((list) => list.length > 0)
  const all = [...together, ...alternatives.flat()]
  const properties = Object.assign({}, ...[rest, ...all].map((one) => (isObject(one['properties']) ? one['properties'] : {})))
  const required = new Set([rest, ...together].flatMap(requiredOf))
  for (const list of alternatives) for (const name of sharedBy(list)) required.add(name)
  return { ...rest, properties, ...(required.size === 0 ? {} : { required: [...required] }) }
}

const definitions = /^#\/(\$defs|definitions)\/([^/]+)$/

/** The definition that an alternative refers to, or the alternative itself. */
function definitionIn(schema: JsonObject, one: JsonObject): JsonObject {
  const [, holder = '', name = ''] = typeof one['$ref'] === 'string' ? (definitions.exec(one['$ref']) ?? []) : []
  const list = schema[holder]
  const found = isObject(list) ? lookUp(list, name) : undefined
  return isObject(found) ? found : one
}

const objectsOf = (list: Json | undefined): readonly JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []

/** What every alternative requires. */
function sharedBy(list: readonly JsonObject[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const one of list) for (const name of new Set(requiredOf(one))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].flatMap(([name, count]) => (count === list.length ? [name] : []))
}
