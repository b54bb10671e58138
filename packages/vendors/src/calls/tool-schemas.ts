import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Rewrites } from '../rewrites.ts'

/**
 * The chat with schemas of functions that vendors take: an object with properties, and no `type: null` in it, which some clients write for "no type"
 * (Wei-Shaw/sub2api 5364, read 2026-11-30). OpenAI wants the type, and refuses `parameters: null` (langchain-ai/langchainjs 9804 and
 * chatanywhere/GPT_API_free 403, read 2026-11-30).
 * @param takesUnions whether the vendor takes `anyOf`, `oneOf` and `allOf` at the top of a schema
 */
export function withPlainSchemas(chat: JsonObject, takesUnions: boolean, rewrites: Rewrites): JsonObject {
  const { tools } = chat
  if (!Array.isArray(tools) || !tools.some((tool) => isOdd(tool, takesUnions)) || !rewrites.may('tools')) return chat
  return {
    ...chat,
    tools: tools.map((tool) => {
      if (!isObject(tool) || !isOdd(tool, takesUnions) || !isObject(tool['function'])) return tool
      const { parameters, ...declared } = tool['function']
      rewrites.note('tools', `parameters of ${String(declared['name'])}`)
      return { ...tool, function: isObject(parameters) ? { ...declared, parameters: plainSchema(parameters, takesUnions) } : declared }
    }),
  }
}

const unions = ['anyOf', 'oneOf', 'allOf'] as const

/** Every tool is looked at, so only at the top of its schema and at its properties. */
function isOdd(tool: Json, takesUnions: boolean): boolean {
  const declared = isObject(tool) ? tool['function'] : undefined
  if (!isObject(declared)) return false
  const { parameters } = declared
  if (!isObject(parameters)) return parameters === null
  const { type, properties } = parameters
  const isUnion = unions.some((name) => name in parameters)
  if (isUnion && !takesUnions) return true
  if (type === undefined && (isUnion || '$ref' in parameters)) return false
  return type !== 'object' || !isObject(properties) || hasNullType(properties)
}

function hasNullType(properties: JsonObject): boolean {
  for (const name in properties) {
    const property = properties[name]
    if (isObject(property) && property['type'] === null) return true
  }
  return false
}

function plainSchema(schema: JsonObject, takesUnions: boolean): JsonObject {
  const typed = withoutNullTypes(schema)
  const whole = takesUnions || !isObject(typed) ? typed : withoutUnions(typed)
  if (!isObject(whole)) return { type: 'object', properties: {} }
  return { ...whole, type: 'object', properties: isObject(whole['properties']) ? whole['properties'] : {} }
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
  const together = objectsOf(allOf)
  const alternatives = [objectsOf(anyOf), objectsOf(oneOf)].filter((list) => list.length > 0)
  const all = [...together, ...alternatives.flat()]
  const properties = Object.assign({}, ...[rest, ...all].map((one) => (isObject(one['properties']) ? one['properties'] : {})))
  const required = new Set([rest, ...together].flatMap(requiredOf))
  for (const list of alternatives) for (const name of sharedBy(list)) required.add(name)
  return { ...rest, properties, ...(required.size === 0 ? {} : { required: [...required] }) }
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
