import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

// Tools that the model gets to know in the middle of a conversation, because the client found them (`tool_reference`) or changed them
// (`tool_addition`, `tool_removal`). Other protocols know only the list of the request. The types of Anthropic's client 1.14, and the
// requests of Claude Code 2.1.332, read 2026-11-25.

/** The tools that the model has at the end of the conversation, without those that have not been announced to it yet. */
export function offeredTools({ tools, messages, tool_choice: choice }: JsonObject): readonly JsonObject[] {
  const all = new Map(objectsIn(tools).map((tool) => [nameOf(tool), tool] as const))
  const offered = new Set([...all].filter(([, tool]) => tool['defer_loading'] !== true).map(([name]) => name))
  if (isObject(choice)) offered.add(textOr(choice['name'], ''))
  for (const { type, tool_name: toolName, tool } of blocksIn(messages)) {
    if (type === 'tool_reference') offered.add(textOr(toolName, ''))
    if (!isObject(tool)) continue
    const { definition } = tool
    if (isObject(definition)) all.set(nameOf(definition), definition)
    const name = nameOf(isObject(definition) ? definition : tool)
    if (type === 'tool_addition') offered.add(name)
    if (type === 'tool_removal') offered.delete(name)
  }
  return [...all].filter(([name]) => offered.has(name)).map(([, { defer_loading: _later, ...tool }]) => tool)
}

/** The server's own tools have no name of the client's. */
const nameOf = ({ name, type }: JsonObject): string => textOr(name, textOr(type, ''))

/** The blocks of a conversation, and those in results of tools. */
function blocksIn(messages: Json | undefined): readonly JsonObject[] {
  return objectsIn(messages).flatMap(({ content }) =>
    objectsIn(content).flatMap((block) => (block['type'] === 'tool_result' ? objectsIn(block['content']) : [block])),
  )
}

/** The text for the model in place of a reference. */
export function referenceText({ tool_name: name }: JsonObject): string {
  return `The tool ${textOr(name, '')} can be called now.`
}

/** Whether a block changes the tools in a way that a list of tools can say. */
export function isToolChange({ type, tool }: JsonObject): boolean {
  if ((type !== 'tool_addition' && type !== 'tool_removal') || !isObject(tool)) return false
  const { type: form, definition } = tool
  if (form === 'tool_reference') return true
  return form === 'tool_definition' && isObject(definition) && (definition['type'] ?? 'custom') === 'custom'
}

/** The request without changes of tools, for services that speak the protocol and do not know them. */
export function withoutToolChanges(body: JsonObject): JsonObject {
  const { tools, messages } = body
  const isPlain = !objectsIn(tools).some((tool) => tool['defer_loading'] !== undefined) && !blocksIn(messages).some(isChange)
  if (isPlain || !Array.isArray(messages)) return body
  const plainMessages = messages.flatMap((message) => (isObject(message) ? withoutChanges(message) : [message]))
  return { ...body, tools: offeredTools(body), messages: plainMessages }
}

const isChange = ({ type }: JsonObject): boolean => type === 'tool_reference' || type === 'tool_addition' || type === 'tool_removal'

function withoutChanges(message: JsonObject): readonly JsonObject[] {
  const { content } = message
  if (!Array.isArray(content)) return [message]
  const kept = content.filter((block) => !isObject(block) || !isToolChange(block))
  if (kept.length === 0 && content.length > 0) return []
  return [{ ...message, content: kept.map((block) => (isObject(block) ? withReferenceTexts(block) : block)) }]
}

function withReferenceTexts(block: JsonObject): JsonObject {
  const { type, content } = block
  if (type !== 'tool_result' || !Array.isArray(content)) return block
  const parts = content.map((part) =>
    isObject(part) && part['type'] === 'tool_reference' ? { type: 'text', text: referenceText(part) } : part,
  )
  return { ...block, content: parts }
}
