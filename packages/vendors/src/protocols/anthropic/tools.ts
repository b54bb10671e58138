import { asText, isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { isWebSearch } from '../shared/web-search.ts'
import { keepCacheControl } from './content.ts'
import type { ModelTraits } from './models.ts'
import { structuredSchema } from './schema.ts'

/** Functions become tools; the vendor's own server tools (`web_search_...`) are sent unchanged. */
export function toTools(tools: Json | undefined, traits: ModelTraits, rewrites: Rewrites): readonly JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.filter(isObject).map((tool) => {
    const declared = tool['function']
    if (isWebSearch(tool)) return toWebSearch(tool)
    return isObject(declared) ? keepCacheControl(tool, toTool(declared, traits, rewrites)) : tool
  })
}

function toTool(declared: JsonObject, traits: ModelTraits, rewrites: Rewrites): JsonObject {
  const { name, description, parameters, strict } = declared
  const schema = objectSchema(parameters)
  const fit = strict === true && traits.structuredOutput ? structuredSchema(schema) : null
  if (strict === true && traits.structuredOutput && fit?.hasWords !== false)
    rewrites.note('tools', `${fit === null ? 'strict' : 'limits'} of ${asText(name)}`)
  return {
    name: textOr(name, ''),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: fit === null ? schema : fit.schema,
    ...(fit === null ? {} : { strict: true }),
  }
}

/** Adds `type: object`, which the vendor requires and OpenAI does not. */
export function objectSchema(parameters: Json | undefined): JsonObject {
  return isObject(parameters) && Object.keys(parameters).length > 0 ? { type: 'object', ...parameters } : { type: 'object', properties: {} }
}

/** Anthropic, "Web search tool", read 2026-11-22. Both vendors use the same form of an approximate location. */
function toWebSearch({ filters, user_location: place }: JsonObject): JsonObject {
  const domains = isObject(filters) ? filters['allowed_domains'] : undefined
  return {
    type: 'web_search_20250305',
    name: webSearchName,
    ...(Array.isArray(domains) && domains.length > 0 ? { allowed_domains: domains } : {}),
    ...(isObject(place) ? { user_location: place } : {}),
  }
}

/** Web search as chats request it (OpenAI API reference, chat completions, `web_search_options`, read 2026-11-22). */
export function searchTools(options: Json | undefined): readonly JsonObject[] {
  if (!isObject(options)) return []
  const { user_location: place } = options
  const approximate = isObject(place) ? place['approximate'] : undefined
  return [toWebSearch(isObject(approximate) ? { user_location: { type: 'approximate', ...approximate } } : {})]
}

const webSearchName = 'web_search'

const choices: Readonly<Record<string, string>> = { auto: 'auto', required: 'any', none: 'none' }

/** `undefined` = the client did not set it. */
export function toToolChoice(chat: JsonObject): JsonObject | undefined {
  const chosen = chosenTool(chat['tool_choice'])
  if (chat['parallel_tool_calls'] !== false || chosen?.['type'] === 'none') return chosen
  return { ...(chosen ?? { type: 'auto' }), disable_parallel_tool_use: true }
}

function chosenTool(choice: Json | undefined): JsonObject | undefined {
  if (isObject(choice)) {
    if (isWebSearch(choice)) return { type: 'tool', name: webSearchName }
    return isObject(choice['function']) ? { type: 'tool', name: textOr(choice['function']['name'], '') } : choice
  }
  const type = lookUp(choices, textOr(choice, ''))
  return type === undefined ? undefined : { type }
}

export function forcesTool(choice: JsonObject | undefined): boolean {
  return choice?.['type'] === 'any' || choice?.['type'] === 'tool'
}
