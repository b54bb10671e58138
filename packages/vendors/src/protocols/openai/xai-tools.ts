import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount } from '../../core/usage-count.ts'

/** A search in attached files costs twice as much as one of the web (xAI, "Pricing", "Tools Pricing", a stored copy read 2026-11-29). */
const searchesOfAttachment = 2

type XaiTools = Pick<Usage, 'searches' | 'fileSearches' | 'containers'>

const none: XaiTools = { searches: 0, fileSearches: 0, containers: 0 }

/** xAI counts the calls of its tools in the usage, searches of X and of attached files among them. */
export function xaiTools({ server_side_tool_usage_details: details }: JsonObject): XaiTools {
  if (!isObject(details)) return none
  const count = (name: string): number => {
    const value = details[`${name}_calls`]
    return isCount(value) ? value : 0
  }
  return {
    searches: count('web_search') + count('x_search') + searchesOfAttachment * count('document_search'),
    fileSearches: count('file_search'),
    containers: count('code_interpreter'),
  }
}
