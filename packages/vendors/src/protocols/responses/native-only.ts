import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isContent } from '../shared/chat-parts.ts'
import { plainFormats } from '../shared/lost-in-translation.ts'
import { isStoredSearch, isWebSearch } from '../shared/web-search.ts'
import { isNamespace, toolsIn } from './namespaces.ts'
import { isOwnCall } from './own-calls.ts'
import { isClientSearch } from './tool-search.ts'

const plainItems = ['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output', 'reasoning']
const plainParts = ['input_text', 'output_text', 'text', 'refusal', 'input_image', 'input_file', 'input_audio']
/** Tools that the client runs itself. */
const clientTools = ['function', 'custom']

/** A parameter of a response that a chat does not have. */
export interface NativeOnly {
  readonly name: string
  /** The vendor's own tool that it requests. */
  readonly tool?: string
  /** The type of the item of its input that only such vendors know. */
  readonly item?: string
}

/**
 * The first parameter of a response that a chat does not have, because the vendor must store something or run a tool of its own; `null` =
 * there is none. Web search is not one of them: some chats have it.
 */
export function nativeOnly(body: JsonObject): NativeOnly | null {
  const { previous_response_id: previous, prompt, input, instructions, tools, tool_choice: choice, text } = body
  if (isGiven(previous)) return { name: 'previous_response_id' }
  if (isGiven(prompt)) return { name: 'prompt' }
  if (!isContent(instructions)) return { name: 'instructions' }
  if (isObject(text) && isObject(text['format']) && !plainFormats.has(text['format']['type'])) return { name: 'text.format' }
  const tool = toolOutOf(tools)
  if (tool !== null) return tool
  if (isObject(choice) && !clientTools.includes(textOr(choice['type'], '')) && !isWebSearch(choice)) return { name: 'tool_choice' }
  return itemOutOf(input)
}

/** The web search tool that a response requests; `null` = none. */
export function webSearchIn({ tools }: JsonObject): NativeOnly | null {
  const at = Array.isArray(tools) ? tools.findIndex((tool) => isWebSearch(tool) && !isStoredSearch(tool)) : -1
  return at === -1 ? null : { name: `tools[${at}].type`, tool: 'web_search' }
}

function toolOutOf(tools: Json | undefined): NativeOnly | null {
  if (!Array.isArray(tools)) return null
  const at = tools.findIndex((tool) => !isPlainTool(tool))
  if (at === -1) return null
  const tool = tools[at]
  return { name: `tools[${at}].type`, tool: isObject(tool) ? textOr(tool['type'], '').slice(0, 40) : '' }
}

/** A tool that the client runs itself, a group of such tools, or a search. */
function isPlainTool(tool: Json): boolean {
  if (!isObject(tool)) return false
  if (isNamespace(tool)) return toolsIn(tool).every(({ type }) => clientTools.includes(textOr(type, '')))
  return clientTools.includes(textOr(tool['type'], '')) || isWebSearch(tool) || isClientSearch(tool)
}

function itemOutOf(input: Json | undefined): NativeOnly | null {
  if (!Array.isArray(input)) return null
  const at = input.findIndex((item) => !isPlainItem(item))
  if (at === -1) return null
  const item = input[at]
  if (!isObject(item)) return { name: `input[${at}]` }
  const { type = 'message' } = item
  const isKnown = typeof type === 'string' && plainItems.includes(type)
  return isKnown ? { name: `input[${at}].content` } : { name: `input[${at}].type`, item: textOr(type, '').slice(0, 40) }
}

function isPlainItem(item: Json): boolean {
  if (!isObject(item)) return false
  const { type = 'message', content, output, execution, tools = [] } = item
  if (type === 'tool_search_call' || type === 'tool_search_output')
    return execution === 'client' && Array.isArray(tools) && tools.every(isPlainTool)
  if (isOwnCall(item)) return true
  if (typeof type !== 'string' || !plainItems.includes(type)) return false
  return type === 'reasoning' || (isContent(content) && [content, output].every(arePlainParts))
}

/** Files and images that a vendor stores are given by an id, which no other vendor knows. */
function arePlainParts(parts: Json | undefined): boolean {
  if (!Array.isArray(parts)) return true
  return parts.every((part) => {
    if (!isObject(part)) return typeof part === 'string'
    const { type, file_id: fileId, file_url: fileUrl } = part
    return typeof type === 'string' && plainParts.includes(type) && !isGiven(fileId) && !isGiven(fileUrl)
  })
}
