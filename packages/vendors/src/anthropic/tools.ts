import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { keepCacheControl } from './content.ts'
import type { ToolNames } from './tool-names.ts'

/** Functions become tools; server tools of the vendor's own (`web_search_...`) are sent as they came. */
export function toTools(tools: Json | undefined, names: ToolNames): readonly JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.filter(isObject).map((tool) => (isObject(tool['function']) ? keepCacheControl(tool, toTool(tool['function'], names)) : tool))
}

function toTool(declared: JsonObject, names: ToolNames): JsonObject {
  const { name, description, parameters, strict } = declared
  return {
    name: names.send(textOr(name, '')),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    ...(strict === true ? { strict } : {}),
  }
}

const choiceOf: Readonly<Record<string, string>> = { auto: 'auto', required: 'any', none: 'none' }

/** `undefined` = the client said nothing about it. */
export function toToolChoice(chat: JsonObject, names: ToolNames): JsonObject | undefined {
  const { tool_choice: choice, parallel_tool_calls: parallel } = chat
  const chosen = chosenTool(choice, names)
  if (parallel !== false) return chosen
  return chosen?.['type'] === 'none' ? chosen : { ...(chosen ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function chosenTool(choice: Json | undefined, names: ToolNames): JsonObject | undefined {
  if (typeof choice === 'string') return choiceOf[choice] === undefined ? undefined : { type: choiceOf[choice] }
  if (!isObject(choice)) return undefined
  if (isObject(choice['function'])) return { type: 'tool', name: names.send(textOr(choice['function']['name'], '')) }
  return choice
}
