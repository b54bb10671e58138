import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { customNames, toFunction } from '../shared/custom-tools.ts'

// Requests that mix the forms of chats and responses, as Cursor sends them to the path of chats (forum.cursor.com/t/153019 and /159298,
// github.com/BerriAI/litellm/pull/34029, read 2026-11-25).

/** Whether a request is for a response: it has an input and no messages. */
export function isForResponse({ messages, input }: JsonObject): boolean {
  return (messages === undefined || (Array.isArray(messages) && messages.length === 0)) && input !== undefined
}

/**
 * Such a request as one for a response: without what only chats have, tools in the flat form, and calls of custom tools as such, which the
 * client was given in the form of functions.
 */
export function asResponseRequest({ messages: _none, stream_options: _usage, tools, input, ...rest }: JsonObject): JsonObject {
  const flat = Array.isArray(tools) ? tools.map(flatTool) : tools
  return {
    ...rest,
    ...(flat === undefined ? {} : { tools: flat }),
    input: Array.isArray(input) ? withCustomCalls(input, customNames(flat)) : input,
  }
}

function flatTool(tool: Json): Json {
  if (!isObject(tool)) return tool
  const { type, function: fn, custom } = tool
  if (type === 'function' && isObject(fn)) return { type, ...fn }
  return type === 'custom' && isObject(custom) ? { type, ...custom } : tool
}

function withCustomCalls(input: readonly Json[], names: ReadonlySet<string>): readonly Json[] {
  const isCustom = ({ type, name }: JsonObject): boolean => type === 'function_call' && names.has(textOr(name, ''))
  const ids = new Set(
    objectsIn(input)
      .filter(isCustom)
      .map((item) => item['call_id']),
  )
  return input.map((item) => {
    if (!isObject(item)) return item
    if (isCustom(item)) return customCall(item)
    return item['type'] === 'function_call_output' && ids.has(item['call_id']) ? { ...item, type: 'custom_tool_call_output' } : item
  })
}

function customCall({ arguments: args, ...call }: JsonObject): JsonObject {
  return { ...call, type: 'custom_tool_call', input: textOr(args, '') }
}

/** Whether a tool of a chat is in the flat form of responses. */
const isFlat = (tool: Json): tool is JsonObject =>
  isObject(tool) && typeof tool['name'] === 'string' && (tool['type'] === 'function' || tool['type'] === 'custom')

/** The chat with its tools in the form of chats; `null` = they are. A custom tool becomes a function, which every vendor has. */
export function withNestedTools(chat: JsonObject): JsonObject | null {
  const { tools } = chat
  if (!Array.isArray(tools) || !tools.some(isFlat)) return null
  return { ...chat, tools: tools.map((tool) => (isFlat(tool) ? nestedTool(tool) : tool)) }
}

function nestedTool(tool: JsonObject): JsonObject {
  const { type, ...fn } = tool
  return type === 'custom' ? toFunction(tool) : { type: 'function', function: fn }
}
