import { isObject, lookUp, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { keepCacheControl } from './content.ts'
import type { ModelTraits } from './models.ts'
import { cleanSchema } from './schema.ts'
import type { ToolNames } from './tool-names.ts'

/** Functions become tools; server tools of the vendor's own (`web_search_...`) are sent as they came. */
export function toTools(tools: Json | undefined, traits: ModelTraits, names: ToolNames): readonly JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.filter(isObject).map((tool) => {
    const declared = tool['function']
    return isObject(declared) ? keepCacheControl(tool, toTool(declared, traits, names)) : tool
  })
}

function toTool(declared: JsonObject, traits: ModelTraits, names: ToolNames): JsonObject {
  const { name, description, parameters } = declared
  const schema = objectSchema(parameters)
  const isStrict = declared['strict'] === true && traits.structuredOutput
  return {
    name: names.send(textOr(name, '')),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: isStrict ? cleanSchema(schema) : schema,
    ...(isStrict ? { strict: true } : {}),
  }
}

/** The vendor takes objects only, and wants that said, which OpenAI does not. */
export function objectSchema(parameters: Json | undefined): JsonObject {
  return isObject(parameters) && Object.keys(parameters).length > 0 ? { type: 'object', ...parameters } : { type: 'object', properties: {} }
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', required: 'any', none: 'none' }

/** `undefined` = the client said nothing about it. */
export function toToolChoice(chat: JsonObject, names: ToolNames): JsonObject | undefined {
  const chosen = chosenTool(chat['tool_choice'], names)
  if (chat['parallel_tool_calls'] !== false || chosen?.['type'] === 'none') return chosen
  return { ...(chosen ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function chosenTool(choice: Json | undefined, names: ToolNames): JsonObject | undefined {
  if (isObject(choice)) {
    return isObject(choice['function']) ? { type: 'tool', name: names.send(textOr(choice['function']['name'], '')) } : choice
  }
  const type = lookUp(choices, textOr(choice, ''))
  return type === undefined ? undefined : { type }
}

export function forcesTool(choice: JsonObject | undefined): boolean {
  return choice?.['type'] === 'any' || choice?.['type'] === 'tool'
}
