import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { limitIn } from '../bodies/offered-tools.ts'

/**
 * The tools with our limit of searches, where the client names none (Anthropic, "Web search tool", `max_uses`, a stored copy read 2026-11-29: without it a
 * request may search as often as the model likes). @returns the same list if nothing changes
 */
export function withSearchLimit(tools: readonly Json[], most: number | undefined): readonly Json[] {
  return most === undefined ? tools : tools.map((tool) => (isObject(tool) && isUnlimited(tool) ? { ...tool, max_uses: most } : tool))
}

const isUnlimited = ({ type, max_uses: uses }: JsonObject): boolean => textOr(type, '').startsWith('web_search_') && limitIn(uses) === null
