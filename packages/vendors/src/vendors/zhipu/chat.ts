import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { effortIn, lowHighMax, modelOf, withEffort, withoutFields } from '../../protocols/compat/fields.ts'
import { formatAsInstruction, schemaAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { searchRequestOf } from '../../protocols/compat/web-search.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'

/** Models that take images and files. They have neither forms of responses nor other tools than functions. */
export const seesParts = (model: string): boolean => /^glm-(?:\d+(?:\.\d+)?v|5\.3-flash)/.test(model)

/** JSON is enforced for models of texts, and a schema for none. */
export function withOwnForm(body: JsonObject): JsonObject {
  return seesParts(modelOf(body)) ? formatAsInstruction(body) : schemaAsInstruction(body)
}

/**
 * A search of the web: the engine is one that returns the addresses of its pages, which the vendor's own two do not ("Web search" in chats, as
 * clients of September 2026 have tried it, read 2026-11-23).
 */
export function withOwnSearch(body: JsonObject): JsonObject {
  const searchRequest = searchRequestOf(body)
  if (searchRequest === null) return withSearchResults(body)
  const { rest, size, isForced } = searchRequest
  const search = {
    enable: true,
    search_engine: 'search_pro_sogou',
    search_result: true,
    content_size: size === 'high' ? 'high' : 'medium',
    ...(isForced ? { require_search: true } : {}),
  }
  return { ...rest, tools: [...objectsIn(rest['tools']), { type: 'web_search', web_search: search }] }
}

/** The vendor bills each search, and its response shows one only if its pages are requested. */
function withSearchResults(body: JsonObject): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools) || !tools.some(isOwnSearch)) return body
  return {
    ...body,
    tools: tools.map((tool) => (isOwnSearch(tool) ? { ...tool, web_search: { ...tool.web_search, search_result: true } } : tool)),
  }
}

type OwnSearch = JsonObject & { readonly web_search: JsonObject }

const isOwnSearch = (tool: Json): tool is OwnSearch => isObject(tool) && tool['type'] === 'web_search' && isObject(tool['web_search'])

/**
 * GLM-5.3 always thinks, at one of three levels, GLM-5.2 at any of OpenAI's; from GLM-4.5 on, models think or not. Reasoning of earlier turns are
 * forgotten there unless the request says otherwise, so it does where the client returns them.
 */
export function withThinking(body: JsonObject): JsonObject {
  const model = modelOf(body)
  if (!/^glm-(?:4\.[5-9]|[5-9])/.test(model)) return withoutFields(body, ['reasoning_effort', 'reasoning'])
  return withKeptReasoning(levelled(model, body))
}

function levelled(model: string, body: JsonObject): JsonObject {
  if (model.startsWith('glm-5.3')) return alwaysThinking(withEffort(body, lowHighMax))
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  if (effort === null) return rest
  if (model.startsWith('glm-5.2')) return { ...rest, reasoning_effort: effort }
  if (body['thinking'] !== undefined) return rest
  return { ...rest, thinking: { type: effort === 'none' || effort === 'minimal' ? 'disabled' : 'enabled' } }
}

/** Whether it thinks is not said; what else the client says about reasoning stays. */
function alwaysThinking(body: JsonObject): JsonObject {
  const { type: _type, ...thinkingOptions } = isObject(body['thinking']) ? body['thinking'] : {}
  const rest = withoutFields(body, ['thinking'])
  return Object.keys(thinkingOptions).length === 0 ? rest : { ...rest, thinking: { type: 'enabled', ...thinkingOptions } }
}

function withKeptReasoning(body: JsonObject): JsonObject {
  const { thinking, messages } = body
  const thinkingOptions = isObject(thinking) ? thinking : {}
  if (thinkingOptions['type'] === 'disabled' || thinkingOptions['clear_thinking'] !== undefined || !objectsIn(messages).some(hasReasoning))
    return body
  return { ...body, thinking: { type: 'enabled', ...thinkingOptions, clear_thinking: false } }
}

const hasReasoning = ({ role, reasoning_content: reasoning }: JsonObject): boolean => role === 'assistant' && isText(reasoning)

const isText = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''
