import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/**
 * OpenAI's choice among some of the tools (OpenAI API reference, chat completions, `tool_choice` of type `allowed_tools`, read 2026-11-22)
 * for vendors that do not have it: only those tools are offered, and the choice is its mode.
 */
export function withAllowedTools(chat: JsonObject): JsonObject {
  const { tool_choice: choice, tools } = chat
  const allowed = isObject(choice) && choice['type'] === 'allowed_tools' ? choice['allowed_tools'] : undefined
  if (!isObject(allowed) || !Array.isArray(allowed['tools']) || !Array.isArray(tools)) return chat
  const names = new Set(allowed['tools'].map(nameOf))
  return { ...chat, tools: tools.filter((tool) => names.has(nameOf(tool))), tool_choice: allowed['mode'] ?? 'auto' }
}

function nameOf(tool: Json): Json | undefined {
  return isObject(tool) && isObject(tool['function']) ? tool['function']['name'] : undefined
}

/** Whether a chat offers tools whose input is free text, which only OpenAI's own form holds (same reference, `tools` of type `custom`). */
export function hasFreeTextTools({ tools, tool_choice: choice }: JsonObject): boolean {
  return choice !== 'none' && Array.isArray(tools) && tools.some((tool) => isObject(tool) && isObject(tool['custom']))
}
