import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/**
 * The chat without what the agent of n8n sends and servers refuse: an empty list as the content of a message, and `strict: null` in a tool
 * (https://github.com/n8n-io/n8n/issues/36774 and /23656, read 2026-11-26).
 */
export function withoutEmptyMembers(chat: JsonObject): JsonObject {
  const { messages, tools } = chat
  if (!hasAny(messages, hasEmptyList) && !hasAny(tools, hasNoStrictness)) return chat
  return {
    ...chat,
    ...(Array.isArray(messages) ? { messages: messages.map((message) => (isObject(message) ? withText(message) : message)) } : {}),
    ...(Array.isArray(tools) ? { tools: tools.map(withoutStrictness) } : {}),
  }
}

/** Without a list of its own, because every chat is looked through. */
const hasAny = (list: Json | undefined, has: (entry: JsonObject) => boolean): boolean =>
  Array.isArray(list) && list.some((entry) => isObject(entry) && has(entry))

const hasEmptyList = ({ content }: JsonObject): boolean => Array.isArray(content) && content.length === 0

/** Beside calls there may be no content. */
function withText(message: JsonObject): JsonObject {
  return hasEmptyList(message) ? { ...message, content: objectsIn(message['tool_calls']).length > 0 ? null : '' } : message
}

const hasNoStrictness = ({ function: declared }: JsonObject): boolean => isObject(declared) && declared['strict'] === null

function withoutStrictness(tool: Json): Json {
  if (!isObject(tool) || !hasNoStrictness(tool) || !isObject(tool['function'])) return tool
  const { strict: _none, ...declared } = tool['function']
  return { ...tool, function: declared }
}
