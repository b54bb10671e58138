import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { listMember, member, nameMax, objectMember } from '../shared/proto-members.ts'
import type { Holds } from '../shared/supports-extra.ts'
import { toJsonSchema } from './schema.ts'
import { toMessages } from './to-messages.ts'

export interface ChatOfRequest {
  readonly chat: JsonObject
  /** The member of the request that a chat cannot hold; `null` = none. */
  readonly refused: string | null
}

/**
 * A request to `generateContent` as a chat (Gemini API reference, "GenerateContentRequest", a stored copy read 2026-11-22). Left out, because
 * they change no response of another vendor or only tune it: `safetySettings`, `labels`, `serviceTier`, `mediaResolution`.
 */
export function toChat(request: JsonObject, holds: Holds): ChatOfRequest {
  const { messages, refused } = toMessages(request, holds)
  const config = objectMember(request, 'generationConfig')
  const { tools, refused: refusedTool } = toTools(listMember(request, 'tools'))
  const format = toFormat(config)
  const chat = present({
    messages,
    ...tools,
    tool_choice: toToolChoice(objectMember(objectMember(request, 'toolConfig'), 'functionCallingConfig')),
    max_completion_tokens: member(config, 'maxOutputTokens'),
    temperature: member(config, 'temperature'),
    top_p: member(config, 'topP'),
    top_k: member(config, 'topK'),
    stop: stopsIn(config),
    seed: member(config, 'seed'),
    n: countOf(config),
    presence_penalty: member(config, 'presencePenalty'),
    frequency_penalty: member(config, 'frequencyPenalty'),
    response_format: format.field,
    reasoning_effort: toEffort(objectMember(config, 'thinkingConfig')),
  })
  return { chat, refused: refused ?? refusedTool ?? format.refused ?? refusedIn(request, config) }
}

function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** What only the vendor itself has. */
function refusedIn(request: JsonObject, config: JsonObject): string | null {
  if (member(request, 'cachedContent') !== undefined) return 'cachedContent'
  if (member(config, 'responseLogprobs') === true) return 'generationConfig.responseLogprobs'
  if (member(config, 'speechConfig') !== undefined) return 'generationConfig.speechConfig'
  const modalities = member(config, 'responseModalities')
  const isText = !Array.isArray(modalities) || modalities.every((one) => textOr(one, '').toUpperCase() === 'TEXT')
  return isText ? null : 'generationConfig.responseModalities'
}

function stopsIn(config: JsonObject): readonly Json[] | undefined {
  const stops = member(config, 'stopSequences')
  return Array.isArray(stops) && stops.length > 0 ? stops : undefined
}

function countOf(config: JsonObject): number | undefined {
  const count = member(config, 'candidateCount')
  return typeof count === 'number' && count > 1 ? count : undefined
}

interface Tools {
  /** Members of the chat. */
  readonly tools: JsonObject
  readonly refused: string | null
}

const searchTools = ['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval'] as const
const functionTools = ['functionDeclarations', 'function_declarations'] as const

function toTools(declarations: readonly JsonObject[]): Tools {
  const names = declarations.flatMap((tool) => Object.keys(tool))
  const known: readonly string[] = [...searchTools, ...functionTools]
  const foreign = names.find((name) => !known.includes(name))
  const functions = declarations.flatMap((tool) => listMember(tool, 'functionDeclarations')).map(toFunction)
  const searches = searchTools.some((name) => names.includes(name))
  return {
    tools: { ...(functions.length === 0 ? {} : { tools: functions }), ...(searches ? { web_search_options: {} } : {}) },
    refused: foreign === undefined ? null : `tools[].${foreign.slice(0, nameMax)}`,
  }
}

function toFunction(declared: JsonObject): JsonObject {
  const { name, description } = declared
  const parameters = member(declared, 'parametersJsonSchema') ?? toJsonSchema(member(declared, 'parameters') ?? null)
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    },
  }
}

const modes: Readonly<Record<string, string>> = { AUTO: 'auto', ANY: 'required', NONE: 'none', VALIDATED: 'auto' }

function toToolChoice(config: JsonObject): Json | undefined {
  const mode = lookUp(modes, textOr(config['mode'], '').toUpperCase())
  const allowed = member(config, 'allowedFunctionNames')
  const names = Array.isArray(allowed) ? allowed.filter((name) => typeof name === 'string') : []
  if (mode === undefined || mode === 'none' || names.length === 0) return mode
  const [only, ...others] = names.map((name) => ({ type: 'function', function: { name } }))
  if (mode === 'required' && others.length === 0) return only
  return { type: 'allowed_tools', allowed_tools: { mode, tools: [only ?? {}, ...others] } }
}

interface Format {
  readonly field: JsonObject | undefined
  readonly refused: string | null
}

function toFormat(config: JsonObject): Format {
  const type = textOr(member(config, 'responseMimeType'), '')
  const own = member(config, 'responseSchema')
  // A schema says of itself that the response is JSON.
  if (type === 'text/plain' || (type === '' && own === undefined && member(config, 'responseJsonSchema') === undefined))
    return { field: undefined, refused: null }
  if (type !== '' && type !== 'application/json') return { field: undefined, refused: 'generationConfig.responseMimeType' }
  const schema = member(config, 'responseJsonSchema') ?? (own === undefined ? undefined : toJsonSchema(own))
  const field = isObject(schema) ? { type: 'json_schema', json_schema: { name: 'answer', schema } } : { type: 'json_object' }
  return { field, refused: null }
}

/** The effort for a budget of at most so many tokens. */
const efforts: ReadonlyArray<readonly [most: number, effort: string]> = [
  [512, 'minimal'],
  [2_048, 'low'],
  [12_288, 'medium'],
]

function toEffort(config: JsonObject): string | undefined {
  const level = textOr(member(config, 'thinkingLevel'), '').toLowerCase()
  if (level !== '' && level !== 'thinking_level_unspecified') return level
  const budget = member(config, 'thinkingBudget')
  // -1 is the model's own choice.
  if (typeof budget !== 'number' || budget < 0) return undefined
  return budget === 0 ? 'none' : (efforts.find(([most]) => budget <= most)?.[1] ?? 'high')
}

/** Whether the client wants to see reasoning. */
export function wantsReasoning(request: JsonObject): boolean {
  return member(objectMember(objectMember(request, 'generationConfig'), 'thinkingConfig'), 'includeThoughts') === true
}
