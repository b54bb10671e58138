import { given, objectsIn } from '../chat-parts.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { isWebSearch } from '../responses/web-search.ts'
import { withoutFields } from './fields.ts'

/**
 * A search of the web as the vendor's own tool (OpenRouter, "Server tools", "Web search", stored copies read 2026-11-23). It answers with OpenAI's
 * annotations, and counts the searches in `usage.server_tool_use`.
 */
export function withOwnSearch(body: JsonObject): JsonObject {
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
