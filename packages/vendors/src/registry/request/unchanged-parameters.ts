import { asText, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import type { Rewrite, Rewrites } from '../../core/rewrites.ts'
import { upstreamLimitIn } from '../../protocols/shared/output-limit-of-request.ts'

/** A parameter of a request that its vendor's form may have under another name, and values of it that say nothing. */
interface Parameter {
  readonly names: readonly string[]
  readonly neutral?: readonly Json[]
}

const reasoning: Parameter = {
  names: [
    ...['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'think', 'thinkingConfig', 'thinking_config', 'reasoningConfig'],
    ...['output_config', 'effort'],
  ],
  neutral: ['none', 'auto'],
}
const stop: Parameter = { names: ['stop', 'stop_sequences', 'stopSequences'] }
const limit: Parameter = { names: ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens'] }
const topP: Parameter = { names: ['top_p', 'topP', 'p'], neutral: [1] }
const topK: Parameter = { names: ['top_k', 'topK', 'k'] }
const presence: Parameter = { names: ['presence_penalty', 'presencePenalty'], neutral: [0] }
const frequency: Parameter = { names: ['frequency_penalty', 'frequencyPenalty'], neutral: [0] }
const user: Parameter = { names: ['user', 'user_id', 'safety_identifier', 'metadata'] }
const tier: Parameter = { names: ['service_tier', 'serviceTier'], neutral: ['auto', 'default', 'standard'] }
const count: Parameter = { names: ['n', 'candidateCount'], neutral: [1] }

/** By the names that clients use. What is none of these is looked for only where client and vendor have one form. */
const parameters: ReadonlyMap<string, Parameter> = new Map([
  ['temperature', { names: ['temperature'] }],
  ['seed', { names: ['seed', 'random_seed'] }],
  ['logit_bias', { names: ['logit_bias'] }],
  ['repetition_penalty', { names: ['repetition_penalty'], neutral: [1] }],
  ['verbosity', { names: ['verbosity', 'text', 'output_config'] }],
  ...[topP, topK, presence, frequency, tier, count].flatMap((row) => row.names.map((name) => [name, row] as const)),
  ...['stop', 'stop_sequences', 'stopSequences'].map((name) => [name, stop] as const),
  ...limit.names.map((name) => [name, limit] as const),
  ...['reasoning_effort', 'reasoning', 'thinking', 'thinkingConfig', 'thinking_config'].map((name) => [name, reasoning] as const),
  ...['user', 'safety_identifier'].map((name) => [name, user] as const),
])

/** What the translation itself brings to another place, or what only says how the response is sent. */
const structural: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'stream_options', 'messages', 'contents', 'input', 'prompt', 'system', 'instructions', 'systemInstruction'],
  ...['tools', 'toolConfig', 'functions', 'function_call', 'parallel_tool_calls', 'web_search_options', 'response_format', 'modalities'],
  ...['audio', 'prompt_cache_key', 'include', 'metadata', 'generationConfig', 'generation_config', 'tool_choice', 'output_config', 'text'],
])

/** Parts of a vendor's form that hold parameters. */
const holders = [
  ...['generationConfig', 'generation_config', 'inferenceConfig', 'additionalModelRequestFields', 'options', 'parameters', 'parameter'],
  ...['reasoning', 'output_config', 'text'],
] as const

interface UpstreamRequest {
  readonly kind: Kind
  /** The request as the vendor gets it. */
  readonly body: JsonObject
  /** Client and vendor have one form, so that a parameter that was left out can be sent. */
  readonly isOneForm: boolean
}

/** Kinds whose responses are texts: parameters of others have too many forms. */
const textKinds: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses', 'messages', 'generate'])

/**
 * Notes each parameter of the client that its vendor does not get, or gets with another value. Where the channel allows no such change, and client
 * and vendor have one form, the parameter is sent as it came. @returns the body to send
 */
export function keptParameters(client: JsonObject, upstream: UpstreamRequest, rewrites: Rewrites): JsonObject {
  if (!textKinds.has(upstream.kind)) return upstream.body
  const { generationConfig, generation_config: config = generationConfig } = client
  // Those of Gemini's clients are in a member of their own.
  if (isObject(config) && config !== upstream.body['generationConfig'] && config !== upstream.body['generation_config'])
    for (const { kind, name, what } of lossesIn(config, client, upstream)) noteOnce(rewrites, { kind, what }, name)
  const restored: [string, Json][] = []
  for (const { kind, name, what } of lossesIn(client, client, upstream)) {
    if (upstream.isOneForm && !rewrites.may(kind)) restored.push([name, client[name] ?? null])
    else noteOnce(rewrites, { kind, what }, name)
  }
  return restored.length === 0 ? upstream.body : { ...upstream.body, ...Object.fromEntries(restored) }
}

/** A step that has noted the same in other words knows more of it. */
function noteOnce(rewrites: Rewrites, { kind, what }: Rewrite, name: string): void {
  if (!(kind === 'parameters' ? rewrites.names(name) : rewrites.has(kind))) rewrites.note(kind, what)
}

interface Loss extends Rewrite {
  readonly name: string
}

/** Every request comes here and few lose anything, so what is the same value is passed over first. */
function lossesIn(members: JsonObject, client: JsonObject, upstream: UpstreamRequest): readonly Loss[] {
  const losses: Loss[] = []
  for (const name of Object.keys(members)) {
    const value = members[name]
    if (value === undefined || value === upstream.body[name]) continue
    const loss = lossOf([name, value], client, upstream)
    if (loss !== null) losses.push({ ...loss, name })
  }
  return losses
}

/** `null` = nothing is lost, or something that says nothing. */
function lossOf([name, value]: readonly [string, Json], client: JsonObject, { body, isOneForm }: UpstreamRequest): Rewrite | null {
  const row = parameters.get(name)
  if (row === limit) return limitLoss(client, body)
  if ((row === undefined && (!isOneForm || structural.has(name))) || isTrivial(value)) return null
  const what = changeOf(name, value, { row, body })
  return what === null ? null : { kind: 'parameters', what }
}

function limitLoss(client: JsonObject, body: JsonObject): Rewrite | null {
  const clientLimit = upstreamLimitIn(client)
  const upstreamLimit = upstreamLimitIn(body)
  return clientLimit !== null && upstreamLimit !== null && upstreamLimit < clientLimit
    ? { kind: 'output_limit', what: `${clientLimit} -> ${upstreamLimit}` }
    : null
}

function isTrivial(value: Json): boolean {
  if (value === null || value === false || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

interface Place {
  readonly row: Parameter | undefined
  readonly body: JsonObject
}

/** `null` = the vendor gets it, in its own form. */
function changeOf(name: string, value: Json, { row, body }: Place): string | null {
  if (row?.neutral?.includes(value) === true) return null
  const upstreamValue = valueIn(body, row?.names ?? [name])
  if (upstreamValue === undefined) return name
  const [before, after] = row === reasoning ? [levelOf(value), levelOf(upstreamValue)] : [value, upstreamValue]
  return isScalar(before) && typeof after === typeof before && after !== before
    ? `${name}: ${scalarText(before)} -> ${scalarText(after)}`
    : null
}

/** How much a model is to reason: a level, or that it is not to. */
function levelOf(value: Json): Json {
  if (!isObject(value)) return value
  return value['type'] === 'disabled' ? 'disabled' : (value['effort'] ?? null)
}

/** The value under the first of these names, at the top or in a part that holds parameters. */
function valueIn(body: JsonObject, names: readonly string[]): Json | undefined {
  const places = [body, ...holders.map((name) => body[name]).filter(isObject)]
  for (const place of places) {
    const name = names.find((own) => place[own] !== undefined && place[own] !== null)
    if (name !== undefined) return place[name]
  }
  return undefined
}

const isScalar = (value: Json): boolean => typeof value === 'number' || typeof value === 'string'

const textMax = 40

function scalarText(value: Json): string {
  const text = asText(value)
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text
}
