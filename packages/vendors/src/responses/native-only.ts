import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

const plainItems = ['message', 'function_call', 'function_call_output', 'reasoning']
const plainParts = ['input_text', 'output_text', 'text', 'refusal', 'input_image', 'input_file', 'input_audio']

/**
 * The first parameter of a response that a chat cannot stand in for, because the vendor would have to keep something or to run a tool of its
 * own; `null`: there is none.
 */
export function nativeOnly(body: JsonObject): string | null {
  const { store, previous_response_id: previous, prompt, input, tools, tool_choice: choice } = body
  if (store === true) return 'store'
  if (isGiven(previous)) return 'previous_response_id'
  if (isGiven(prompt)) return 'prompt'
  if (Array.isArray(tools) && !tools.every((tool) => isObject(tool) && tool['type'] === 'function')) return 'tools'
  if (isObject(choice) && choice['type'] !== 'function') return 'tool_choice'
  return Array.isArray(input) && !input.every(isPlainItem) ? 'input' : null
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

function isPlainItem(item: Json): boolean {
  if (!isObject(item)) return false
  const { type = 'message', content, output } = item
  if (typeof type !== 'string' || !plainItems.includes(type)) return false
  return type === 'reasoning' || [content, output].every(arePlainParts)
}

/** Files and pictures that are kept with the vendor are named by an id, which no other vendor knows. */
function arePlainParts(parts: Json | undefined): boolean {
  if (!Array.isArray(parts)) return true
  return parts.every((part) => {
    if (!isObject(part)) return false
    const { type, file_id: fileId, file_url: fileUrl } = part
    return typeof type === 'string' && plainParts.includes(type) && !isGiven(fileId) && !isGiven(fileUrl)
  })
}
