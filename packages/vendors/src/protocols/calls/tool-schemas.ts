import type { SchemaForm } from '../../core/call-form.ts'
import { asText, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import type { Steps } from '../../core/same-json.ts'
import { fittingSchema } from '../shared/schema-instruction.ts'
import { isStrictSchema } from '../shared/strict-schema.ts'
import { flatSchema } from './flat-schema.ts'

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

interface SchemaParams {
  readonly place: keyof typeof places
  readonly form: SchemaForm
  readonly rewrites: Rewrites
}

const unions = ['anyOf', 'oneOf', 'allOf'] as const

/** Vendors that take what JSON Schema has. */
export const anySchemas: SchemaForm = {}

/**
 * OpenAI (langchain-ai/langchainjs 9804, chatanywhere/GPT_API_free 403, goruck/home-generative-agent 545, read 2026-11-30; "object schema missing
 * properties").
 */
export const openaiSchemas: SchemaForm = {
  lacks: [...unions, '$ref', 'not', 'enum', 'const'],
  wantsType: true,
  wantsProperties: true,
  checksStrict: true,
}
/** Claude (anthropics/claude-code 5319, read 2026-11-30; "Tool definitions", `input_schema`, read 2026-11-21). */
export const claudeSchemas: SchemaForm = { lacks: [...unions, '$ref'], wantsType: true }
/** Moonshot refuses unions beside a type. */
export const kimiSchemas: SchemaForm = { lacks: unions }
/**
 * Gemini, whose page wants an object, and lists neither `allOf` nor `patternProperties` among the keywords that are read (`responseJsonSchema` and
 * `parametersJsonSchema`, read 2026-11-30).
 */
export const geminiSchemas: SchemaForm = { lacks: ['allOf', '$ref', 'patternProperties'] }

/** Most steps for the schemas of one request, about ten milliseconds: see `schema-check.ts`. */
const stepsMax = 100_000

/**
 * The request with schemas of functions that the vendor takes: as it wants them at the top, and without `type: null`, which some clients write for "no
 * type" (Wei-Shaw/sub2api 5364, read 2026-11-30).
 */
export function withPlainSchemas(body: JsonObject, rule: SchemaParams): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools) || !hasOdd(tools, rule) || !rule.rewrites.may('tools')) return body
  return { ...body, tools: plainTools(tools, rule, { stepsLeft: stepsMax }) }
}

function plainTools(tools: readonly Json[], params: SchemaParams, work: Steps): readonly Json[] {
  return tools.map((tool) => (isObject(tool) && isOdd(tool, params) ? withPlainSchema(tool, params, work) : tool))
}

function withPlainSchema(tool: JsonObject, params: SchemaParams, work: Steps): JsonObject {
  const { place: protocol, form, rewrites } = params
  const place = places[protocol]
  const group = groupIn(tool, params)
  if (group !== null) return { ...tool, tools: plainTools(group, params, work) }
  const { [place.member]: schema, ...declared } = place.holder(tool) ?? {}
  rewrites.note('tools', `${place.member} of ${asText(declared['name'])}`)
  if (!isObject(schema)) return place.put(tool, declared)
  const { schema: plain, isWhole } = plainSchema(schema, form, work)
  const isLax = form.checksStrict === true && declared['strict'] === true && !isStrictSchema(plain)
  const described = isWhole ? declared : inWords(declared, schema)
  return place.put(tool, { ...described, ...(isLax ? { strict: false } : {}), [place.member]: plain })
}

/** What the vendor cannot have as a schema stands in the description, so that nothing of it is lost. */
function inWords(declared: JsonObject, schema: JsonObject): JsonObject {
  const { description } = declared
  const words = `The arguments are an object ${fittingSchema(schema)}`
  return { ...declared, description: typeof description === 'string' && description !== '' ? `${description}\n\n${words}` : words }
}

function hasOdd(tools: readonly Json[], params: SchemaParams): boolean {
  for (const tool of tools) if (isOdd(tool, params)) return true
  return false
}

function lacksOf(schema: JsonObject, { lacks = [] }: SchemaForm): boolean {
  for (const keyword of lacks) if (schema[keyword] !== undefined) return true
  return false
}

/** The functions of a group, which only responses have. */
function groupIn(tool: Json, { place }: SchemaParams): readonly Json[] | null {
  return place === 'response' && isObject(tool) && tool['type'] === 'namespace' && Array.isArray(tool['tools']) ? tool['tools'] : null
}

/** Every tool is looked at, so only at the top of its schema and at its properties. */
function isOdd(tool: Json, params: SchemaParams): boolean {
  const { place: protocol, form } = params
  const group = groupIn(tool, params)
  if (group !== null) return hasOdd(group, params)
  const place = places[protocol]
  const schema = isObject(tool) ? place.holder(tool)?.[place.member] : undefined
  if (!isObject(schema)) return schema === null
  const { type, properties } = schema
  if (type === null || (isObject(properties) && hasNullType(properties))) return true
  if (lacksOf(schema, form)) return true
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

interface PlainSchema {
  readonly schema: JsonObject
  /** Whether it says all that the client's schema does. */
  readonly isWhole: boolean
}

function plainSchema(schema: JsonObject, form: SchemaForm, work: Steps): PlainSchema {
  const typed = withoutNullTypes(schema)
  if (!isObject(typed)) return { schema, isWhole: true }
  const { schema: whole, isWhole } = lacksOf(typed, form) ? flatSchema(typed, form.lacks ?? [], work) : { schema: typed, isWhole: true }
  const isBare = Object.keys(whole).length === 0 || (form.wantsProperties === true && !isObject(whole['properties']))
  return { schema: { ...whole, type: 'object', ...(isBare ? { properties: {} } : {}) }, isWhole }
}

/** Requests are nested no deeper than their parser allows. */
function withoutNullTypes(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutNullTypes)
  if (!isObject(schema)) return schema
  const members = Object.entries(schema).filter(([name, value]) => name !== 'type' || value !== null)
  return Object.fromEntries(members.map(([name, value]) => [name, value === undefined ? null : withoutNullTypes(value)]))
}
