import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { isWebSearch } from '../shared/web-search.ts'
import { withoutFields } from './fields.ts'

/** A web search that a chat requests in OpenAI's form. */
export interface SearchRequest {
  /** The chat without it. */
  readonly rest: JsonObject
  /** How much of the pages the model reads: `low`, `medium`, `high`. */
  readonly size: Json | undefined
  /** The client forces the search. */
  readonly isForced: boolean
}

/** A tool in the vendor's own form has a member of its name. */
const isOpenAis = (tool: Json): boolean => isWebSearch(tool) && !isObject(tool['web_search'])

/** `null` = the chat requests no search, or does so in the vendor's own form, which is sent as it is. */
export function searchRequestOf(chat: JsonObject): SearchRequest | null {
  const { web_search_options: options, tools, tool_choice: choice } = chat
  const offered = objectsIn(tools)
  const searchOptions = isObject(options) ? options : offered.find(isOpenAis)
  if (searchOptions === undefined) return null
  const others = offered.filter((tool) => !isOpenAis(tool))
  const isForced = isWebSearch(choice ?? null) || (choice === 'required' && others.length === 0)
  const leaving = ['web_search_options', 'tools', ...(isForced || others.length === 0 ? ['tool_choice'] : [])]
  const rest = withoutFields(chat, leaving)
  return { rest: others.length === 0 ? rest : { ...rest, tools: others }, size: searchOptions['search_context_size'], isForced }
}
