import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isWebSearch, searchParameter } from '../shared/web-search.ts'
import { withDefinitions } from './definitions.ts'

/** What a chat's tools become; `refused` is the field of those that this model cannot have. */
export interface Tools {
  readonly tools: readonly JsonObject[]
  readonly toolConfig: JsonObject | undefined
  readonly hasFunctions: boolean
  readonly refused: string | null
}

/**
 * Functions, and the vendor's own tools (Gemini API, "Function calling" and "Grounding with Google Search", stored copies read
 * 2026-11-22). Both together need turns that OpenAI's form cannot carry back ("Combine built-in tools and function calling"). A chat with
 * a `strict` function has the mode that keeps to the schemas ("Function calling", `VALIDATED`); `ANY` always does.
 */
export function toTools(chat: JsonObject): Tools {
  const allTools = Array.isArray(chat['tools']) ? chat['tools'].filter(isObject) : []
  const isChosenAway = chat['tool_choice'] === 'none'
  const functions = isChosenAway ? [] : allTools.flatMap((tool) => (isObject(tool['function']) ? [toFunction(tool['function'])] : []))
  const searches = isObject(chat['web_search_options']) || allTools.some(isWebSearch)
  const own = allTools.filter((tool) => ownTools.some((name) => name in tool))
  const builtIn = [...own, ...(searches ? [{ googleSearch: {} }] : [])]
  return {
    tools: [...(functions.length === 0 ? [] : [{ functionDeclarations: functions }]), ...builtIn],
    toolConfig: functions.length === 0 ? undefined : toToolConfig(chat['tool_choice'], allTools.some(isStrict)),
    hasFunctions: functions.length > 0,
    refused: refusedIn(allTools) ?? (functions.length > 0 && searches ? searchParameter(chat) : null),
  }
}

const ownTools = ['googleSearch', 'google_search', 'urlContext', 'url_context', 'codeExecution', 'code_execution'] as const

/** The vendor searches the whole web, and a search of its map has no price. */
function refusedIn(tools: readonly JsonObject[]): string | null {
  // The vendor charges it beside the tokens, and it has no price here.
  if (tools.some((tool) => 'googleMaps' in tool || 'google_maps' in tool)) return 'tools[].googleMaps'
  const isLimited = tools.some((tool) => isWebSearch(tool) && isObject(tool['filters']) && tool['filters']['allowed_domains'] !== undefined)
  return isLimited ? 'tools[].filters.allowed_domains' : null
}

/** Parameters that say nothing are left out, because they are refused. */
function toFunction({ name, description, parameters }: JsonObject): JsonObject {
  return {
    name: textOr(name, ''),
    ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(parameters) && hasFields(parameters) ? { parametersJsonSchema: withDefinitions(parameters) } : {}),
  }
}

/** Keywords that let an object have members. */
const fieldKeywords = ['properties', 'patternProperties', 'additionalProperties', '$ref', 'anyOf', 'oneOf', 'allOf'] as const

function hasFields(schema: JsonObject): boolean {
  return fieldKeywords.some((keyword) => {
    const value = schema[keyword]
    return isObject(value) ? keyword === 'additionalProperties' || Object.keys(value).length > 0 : value === true || hasText(value)
  })
}

const hasText = (value: Json | undefined): boolean => (Array.isArray(value) || typeof value === 'string') && value.length > 0

const modes: Readonly<Record<string, string>> = { auto: 'AUTO', required: 'ANY' }

function isStrict({ function: declared }: JsonObject): boolean {
  return isObject(declared) && declared['strict'] === true
}

function toToolConfig(choice: Json | undefined, keepsToSchemas: boolean): JsonObject | undefined {
  const named = namesIn(choice)
  if (named !== null) {
    const [mode, list] = named
    return { functionCallingConfig: { mode, allowedFunctionNames: list } }
  }
  const mode = lookUp(modes, textOr(choice, keepsToSchemas ? 'auto' : ''))
  return mode === undefined ? undefined : { functionCallingConfig: { mode: mode === 'AUTO' && keepsToSchemas ? 'VALIDATED' : mode } }
}

/** One function, or OpenAI's `allowed_tools`. With names, `VALIDATED` is the mode that may call. */
function namesIn(choice: Json | undefined): readonly ['ANY' | 'VALIDATED', readonly string[]] | null {
  if (!isObject(choice)) return null
  const { function: chosen, allowed_tools: allowed } = choice
  if (isObject(chosen)) return ['ANY', [textOr(chosen['name'], '')]]
  if (!isObject(allowed) || !Array.isArray(allowed['tools'])) return null
  const list = allowed['tools'].filter(isObject).map((tool) => (isObject(tool['function']) ? textOr(tool['function']['name'], '') : ''))
  return [allowed['mode'] === 'required' ? 'ANY' : 'VALIDATED', list.filter((name) => name !== '')]
}
