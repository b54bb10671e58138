import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount, readCountIn } from '../../core/usage-count.ts'
import { objectsIn } from '../shared/chat-parts.ts'

// What vendors add to a chat in OpenAI's form for which they searched the web.

/**
 * Number of searches of the whole response, as far as this response or chunk reports it. Vendors count them in their usage (Alibaba's `plugins`,
 * ByteDance's `tool_usage`), list the pages that one search found, or let the client return a call of their own tool (Kimi, "Pricing of tools").
 */
export function searchesIn(body: JsonObject): number {
  const count = isObject(body['usage']) ? countIn(body['usage']) : 0
  return count > 0 ? count : hasPages(body) || searchedIn(body) ? 1 : 0
}

/** Searches that a usage counts; one if it counts the tokens of what was found alone (Baidu, "Chat", a stored copy read 2026-11-29). */
export function countIn(usage: JsonObject): number {
  const { plugins, tool_usage: tools } = usage
  const count =
    readCountIn(isObject(plugins) ? plugins : {}, 'search', 'count') ?? readCount(isObject(tools) ? tools['web_search'] : null) ?? 0
  if (isCount(count) && count > 0) return count
  const tokens = readCountIn(usage, 'prompt_tokens_details', 'search_tokens') ?? 0
  return isCount(tokens) && tokens > 0 ? 1 : 0
}

/** The usage with at least so many searches. */
export function withSearches(usage: Usage | null, searches: number): Usage | null {
  return usage === null || usage.searches >= searches ? usage : { ...usage, searches }
}

/** Runs for every chunk. */
export function hasPages(body: JsonObject): boolean {
  return body['web_search'] !== undefined || body['search_results'] !== undefined || body['search_info'] !== undefined
    ? pagesIn(body).length > 0
    : false
}

/** The pages that were found, in any place where vendors list them. */
export function pagesIn({ web_search: zhipu, search_results: baidu, search_info: info }: JsonObject): readonly JsonObject[] {
  const listed = [zhipu, baidu, isObject(info) ? info['search_results'] : undefined]
  return listed.flatMap(objectsIn)
}

/**
 * The pages as OpenAI's annotations. Vendors do not say which part of the text a page supports, so the place of each is empty. Pages without an
 * address, which some of Zhipu's engines have, are left out.
 */
export function annotationsOf(pages: readonly JsonObject[]): readonly JsonObject[] {
  return pages.flatMap(({ url, link, title, name }) => {
    const address = textOr(url, '') || textOr(link, '')
    if (!/^https?:\/\//.test(address)) return []
    const heading = textOr(title, '') || textOr(name, '') || address
    return [{ type: 'url_citation', url_citation: { url: address, title: heading, start_index: 0, end_index: 0 } }]
  })
}

const ownSearch = '$web_search'

/** Whether a message or delta has pages, or calls that search. */
function searchedIn({ choices }: JsonObject): boolean {
  if (!Array.isArray(choices)) return false
  for (const choice of choices) {
    const message: Json | undefined = isObject(choice) ? (choice['message'] ?? choice['delta']) : undefined
    if (
      isObject(message) &&
      (hasPages(message) || (message['tool_calls'] !== undefined && objectsIn(message['tool_calls']).some(isOwnSearch)))
    )
      return true
  }
  return false
}

/** One vendor lists what it searched as a call of its own type. */
const isOwnSearch = ({ type, function: called }: JsonObject): boolean =>
  type === 'web_search' || (isObject(called) && called['name'] === ownSearch)
