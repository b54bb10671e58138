import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { effortIn, withoutFields } from '../../protocols/compat/fields.ts'
import { withMessages, withReasoningField } from '../../protocols/compat/messages.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { isWebSearch } from '../../protocols/shared/web-search.ts'

/** A chat with the level of reasoning and the search of the web as OpenRouter has them. */
export function openrouterChat(body: JsonObject, readsFiles: (model: string) => boolean): JsonObject {
  return withFreeParser(withReasoning(withOwnSearch(withMessages(body, withReasoningField))), readsFiles)
}

/**
 * Documents are read by the model itself, or as text. Without a word on it, the vendor reads those of models that cannot by one that is billed by
 * the page, which no response counts (OpenRouter, "PDF inputs", as of 2026-08-22; read 2026-11-29).
 */
function withFreeParser(body: JsonObject, readsFiles: (model: string) => boolean): JsonObject {
  const { messages, model, plugins } = body
  const chosen = objectsIn(plugins)
  const hasFile = objectsIn(messages).some(({ content }) => objectsIn(content).some(({ type }) => type === 'file'))
  if (!hasFile || chosen.some(({ id }) => id === 'file-parser')) return body
  return {
    ...body,
    plugins: [...chosen, { id: 'file-parser', pdf: { engine: readsFiles(textOr(model, '')) ? 'native' : 'cloudflare-ai' } }],
  }
}

/** The level of reasoning is a member of `reasoning` there. */
function withReasoning(body: JsonObject): JsonObject {
  const { reasoning } = body
  const effort = effortIn(body)
  if (body['reasoning_effort'] === undefined || effort === null) return body
  return { ...withoutFields(body, ['reasoning_effort']), reasoning: { effort, ...(isObject(reasoning) ? reasoning : {}) } }
}

/**
 * A search of the web as the vendor's own tool (OpenRouter, "Server tools", "Web search", stored copies read 2026-11-23). It responds with OpenAI's
 * annotations, and counts the searches in `usage.server_tool_use`.
 */
function withOwnSearch(body: JsonObject): JsonObject {
  const { web_search_options: options, tools } = body
  const offered = objectsIn(tools)
  if (!isObject(options) && !offered.some(isWebSearch)) return body
  const ownTools = offered.map((tool) => (isWebSearch(tool) ? toSearch(tool) : tool))
  return { ...withoutFields(body, ['web_search_options']), tools: isObject(options) ? [...ownTools, toSearch(options)] : ownTools }
}

/** Results of a search that its price has. */
const resultsMax = 5

/** Whether a search is to bring more results than its price has, or so many that nobody knows: the vendor bills each of them. */
export function hasManyResults({ tools }: JsonObject): boolean {
  return objectsIn(tools).some(({ type, parameters }) => {
    const results = isObject(parameters) ? (parameters['max_results'] ?? resultsMax) : resultsMax
    return type === 'openrouter:web_search' && !(typeof results === 'number' && results <= resultsMax)
  })
}

function toSearch({ search_context_size: size, filters, user_location: place }: JsonObject): JsonObject {
  const domains = isObject(filters) ? filters['allowed_domains'] : undefined
  const parameters = omitUndefined({
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
