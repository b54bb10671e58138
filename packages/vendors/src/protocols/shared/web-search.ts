import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** The parameter by which a chat requests a web search; `null` = it requests none. */
export function searchParameter({ web_search_options: options, tools }: JsonObject): string | null {
  if (isObject(options)) return 'web_search_options'
  return Array.isArray(tools) && tools.some(isWebSearch) ? 'tools[].type' : null
}

/** A search of pages that OpenAI has stored: other vendors have none, and the client works without it (Codex requests it every time). */
export function isStoredSearch(tool: Json): boolean {
  return isWebSearch(tool) && tool['external_web_access'] === false
}

/** OpenAI's tool for searching the web, under the names that it has had (API reference, "Web search", read 2026-11-22). */
export function isWebSearch(tool: Json): tool is JsonObject {
  return isObject(tool) && typeof tool['type'] === 'string' && /^web_search(?:_preview)?(?:_20\d\d_\d\d_\d\d)?$/.test(tool['type'])
}
