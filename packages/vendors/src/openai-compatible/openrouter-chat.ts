import { given, objectsIn } from '../chat-parts.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { isWebSearch } from '../responses/web-search.ts'
import { effortIn, withoutFields } from './fields.ts'
import { withMessages, withReasoningField } from './messages.ts'

/** A chat with the level of reasoning and the search of the web as OpenRouter has them. */
export function openrouterChat(body: JsonObject): JsonObject {
  return withReasoning(withOwnSearch(withMessages(body, withReasoningField)))
}

/** The level of reasoning is a member of `reasoning` there. */
function withReasoning(body: JsonObject): JsonObject {
  const { reasoning } = body
  const effort = effortIn(body)
  if (body['reasoning_effort'] === undefined || effort === null) return body
  return { ...withoutFields(body, ['reasoning_effort']), reasoning: { effort, ...(isObject(reasoning) ? reasoning : {}) } }
}

/**
 * A search of the web as the vendor's own tool (OpenRouter, "Server tools", "Web search", stored copies read 2026-11-23). It answers with OpenAI's
 * annotations, and counts the searches in `usage.server_tool_use`.
 */
function withOwnSearch(body: JsonObject): JsonObject {
  const { web_search_options: options, tools } = body
  const offered = objectsIn(tools)
  if (!isObject(options) && !offered.some(isWebSearch)) return body
  const sent = offered.map((tool) => (isWebSearch(tool) ? toSearch(tool) : tool))
  return { ...withoutFields(body, ['web_search_options']), tools: isObject(options) ? [...sent, toSearch(options)] : sent }
}

function toSearch({ search_context_size: size, filters, user_location: place }: JsonObject): JsonObject {
  const domains = isObject(filters) ? filters['allowed_domains'] : undefined
  const parameters = given({
    search_context_size: size,
    allowed_domains: Array.isArray(domains) && domains.length > 0 ? domains : undefined,
    user_location: placeOf(place),
  })
  return { type: 'openrouter:web_search', ...(Object.keys(parameters).length === 0 ? {} : { parameters }) }
}

/** Chats have the members of a location in `approximate`, responses beside its type. */
function placeOf(place: Json | undefined): Json | undefined {
  if (!isObject(place)) return undefined
  return isObject(place['approximate']) ? { type: 'approximate', ...place['approximate'] } : place
}
