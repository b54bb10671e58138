import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { fittingSchema } from '../shared/schema-instruction.ts'
import type { ModelTraits } from './models.ts'
import { structuredSchema } from './schema.ts'
import { forcesTool, objectSchema, toToolChoice } from './tools.ts'

export interface OutputFormat {
  readonly outputConfig: JsonObject
  readonly tools: readonly JsonObject[]
  readonly toolChoice: JsonObject | null
  readonly system: readonly JsonObject[]
  /** The tool whose input is the structured output. */
  readonly unwrapTool: string | null
}

const plain: OutputFormat = { outputConfig: {}, tools: [], toolChoice: null, system: [], unwrapTool: null }

/** The name of the tool that carries structured output, which no tool of the client has. */
export function outputTool({ tools }: JsonObject): string {
  const isTaken = objectsIn(tools).some(({ function: declared }) => isObject(declared) && declared['name'] === 'json')
  return isTaken ? 'json_answer' : 'json'
}

/** Translates `response_format` to the vendor's own field if the model has it, or else to a tool that must be called. */
export function toOutputFormat(chat: JsonObject, traits: ModelTraits, rewrites: Rewrites): OutputFormat {
  const { response_format: format } = chat
  if (!isObject(format)) return plain
  if (format['type'] === 'json_object')
    return { ...plain, system: [{ type: 'text', text: 'Answer with one valid JSON object and nothing else.' }] }
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (format['type'] !== 'json_schema' || !isObject(schema)) return plain
  if (traits.structuredOutput) return structured(schema, rewrites)
  // A model that must call a tool of the client writes no structured output.
  const choice = toToolChoice(chat)
  if (hasTools(chat) && forcesTool(choice)) return plain
  // The tool that carries the schema for models without structured output. The model calls it, or another one first.
  const name = outputTool(chat)
  const isOnly = !hasTools(chat) || choice?.['type'] === 'none'
  return {
    ...plain,
    tools: [{ name, description: 'Gives the answer.', input_schema: objectSchema(schema) }],
    toolChoice: { ...(isOnly ? { type: 'tool', name } : { type: 'any' }), disable_parallel_tool_use: true },
    unwrapTool: name,
  }
}

/** A schema that the vendor's field does not take is put into the prompt, and the output is validated. */
function structured(schema: JsonObject, rewrites: Rewrites): OutputFormat {
  const fit = structuredSchema(schema)
  if (fit === null) {
    rewrites.note('parameters', 'response_format: schema -> words')
    return { ...plain, system: [{ type: 'text', text: `Answer only with JSON ${fittingSchema(schema)}` }] }
  }
  if (fit.hasWords) rewrites.note('parameters', 'response_format: limits -> words')
  return { ...plain, outputConfig: { format: { type: 'json_schema', schema: fit.schema } } }
}

/** Whether there are tools besides the one for structured output. */
function hasTools({ tools, web_search_options: search }: JsonObject): boolean {
  return (Array.isArray(tools) && tools.length > 0) || isObject(search)
}
