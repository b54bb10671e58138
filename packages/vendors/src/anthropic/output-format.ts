import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ModelTraits } from './models.ts'

interface OutputFormat {
  readonly outputConfig: JsonObject
  readonly tools: readonly JsonObject[]
  readonly toolChoice: JsonObject | null
  readonly system: readonly JsonObject[]
  /** The tool whose input is the answer. */
  readonly unwrapTool: string | null
}

const plain: OutputFormat = { outputConfig: {}, tools: [], toolChoice: null, system: [], unwrapTool: null }

/** The tool that stands for a schema where the model knows no structured output. */
const jsonTool = 'json'

/** `response_format`: by the vendor's own field where the model has it, else by a tool that must be called. */
export function toOutputFormat(format: Json | undefined, traits: ModelTraits): OutputFormat {
  if (!isObject(format)) return plain
  if (format['type'] === 'json_object')
    return { ...plain, system: [{ type: 'text', text: 'Answer with one valid JSON object and nothing else.' }] }
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (format['type'] !== 'json_schema' || !isObject(schema)) return plain
  if (traits.structuredOutput) return { ...plain, outputConfig: { format: { type: 'json_schema', schema: cleanSchema(schema) } } }
  const tool = { name: jsonTool, description: 'Gives the answer.', input_schema: schema }
  return { ...plain, tools: [tool], toolChoice: { type: 'tool', name: jsonTool }, unwrapTool: jsonTool }
}

/** Keywords that structured output refuses (Anthropic, "Structured outputs", read 2026-11-21). */
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
const dataKeywords = new Set(['enum', 'const', 'default', 'examples'])

function cleanSchema(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json | undefined][] => {
    if (refusedKeywords.has(keyword)) return []
    if (keyword === 'format' && typeof value === 'string' && !knownFormats.has(value)) return []
    if (dataKeywords.has(keyword)) return [[keyword, value]]
    if (namedSchemas.has(keyword) && isObject(value)) return [[keyword, mapValues(value)]]
    return [[keyword === 'oneOf' ? 'anyOf' : keyword, cleanValue(value)]]
  })
  const cleaned = Object.fromEntries(entries)
  return cleaned['type'] === 'object' || isObject(cleaned['properties']) ? { ...cleaned, additionalProperties: false } : cleaned
}

function mapValues(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleanValue(schema)]))
}

function cleanValue(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => (isObject(item) ? cleanSchema(item) : item))
  return isObject(value) ? cleanSchema(value) : value
}
