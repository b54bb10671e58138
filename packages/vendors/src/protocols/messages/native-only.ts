import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { NativeOnly } from '../responses/native-only.ts'
import { isContent, objectsIn, partsIn } from '../shared/chat-parts.ts'
import { isToolChange } from './tool-changes.ts'

/** Blocks that a chat holds, or that only repeat what a server's tool did. */
const plainBlocks = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
])

/** Sources of images and documents that a chat holds. */
const plainSources: Readonly<Record<string, ReadonlySet<string>>> = {
  image: new Set(['base64', 'url']),
  document: new Set(['base64', 'text', 'content']),
}

const isSearch = ({ type }: JsonObject): boolean => /^web_search_\d{8}$/.test(textOr(type, ''))

/**
 * The first parameter of a message request that a chat does not have; `null` = there is none. Fields that only tune how the vendor works
 * (`context_management`, `fallbacks`, cache marks) are not among them.
 */
export function nativeOnlyIn(body: JsonObject): NativeOnly | null {
  const { system, mcp_servers: servers, container, speed, inference_geo: place, tools, messages } = body
  if (!isContent(system)) return { name: 'system' }
  if (Array.isArray(servers) && servers.length > 0) return { name: 'mcp_servers' }
  if (container !== undefined && container !== null) return { name: 'container' }
  if (speed === 'fast') return { name: 'speed' }
  if (typeof place === 'string' && place !== 'global') return { name: 'inference_geo' }
  return toolOutOf(tools) ?? blockOutOf(messages)
}

/** The tool by which a request wants a web search; `null` = it wants none. */
export function messageSearchIn({ tools }: JsonObject): NativeOnly | null {
  const at = objectsIn(tools).findIndex(isSearch)
  return at === -1 ? null : { name: `tools[${at}].type`, tool: 'web_search' }
}

function toolOutOf(tools: Json | undefined): NativeOnly | null {
  for (const [at, tool] of objectsIn(tools).entries()) {
    const { type, blocked_domains: blocked, allowed_callers: callers } = tool
    if (isSearch(tool) && Array.isArray(blocked) && blocked.length > 0) return { name: `tools[${at}].blocked_domains` }
    // Only code that the vendor runs may call it.
    if (Array.isArray(callers) && callers.length > 0 && !callers.includes('direct')) return { name: `tools[${at}].allowed_callers` }
    if (typeof type === 'string' && type !== 'custom' && !isSearch(tool)) return { name: `tools[${at}].type`, tool: type.slice(0, 40) }
  }
  return null
}

function blockOutOf(messages: Json | undefined): NativeOnly | null {
  for (const [at, { content }] of objectsIn(messages).entries()) {
    if (!isContent(content)) return { name: `messages[${at}].content` }
    const place = partsIn(content).findIndex((block) => !isPlain(block))
    if (place !== -1) return { name: `messages[${at}].content[${place}]` }
    const cited = partsIn(content).findIndex(wantsCitations)
    if (cited !== -1) return { name: `messages[${at}].content[${cited}].citations` }
  }
  return null
}

/** Whether the response is to name the places in a document that it uses, which only Claude does. */
function wantsCitations({ type, citations }: JsonObject): boolean {
  return (type === 'document' || type === 'search_result') && isObject(citations) && citations['enabled'] === true
}

function isPlain(block: JsonObject): boolean {
  const type = textOr(block['type'], '')
  if (isToolChange(block)) return true
  if (!plainBlocks.has(type)) return false
  if (type === 'tool_result') {
    const { content } = block
    return isContent(content) && partsIn(content).every((part) => part['type'] === 'tool_reference' || isPlain(part))
  }
  const sources = plainSources[type]
  const source = isObject(block['source']) ? textOr(block['source']['type'], '') : ''
  return sources === undefined || sources.has(source)
}
