import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type Parameter, parameters, type RequestRule, type ResponseMember, responseMembers } from '../../core/request-rule.ts'
import { isReasoningModel } from '../shared/output-limit.ts'
import { contextOverflowIn } from './context-overflow.ts'
import { hasMember } from './response-members.ts'

/** Longest message that is searched, in characters. */
const searchedMax = 2_000

/** The request that was refused. */
export interface RefusedRequest {
  /** The upstream model name, after mapping. */
  readonly model: string
  /** As the client sent it. */
  readonly body: JsonObject
}

/**
 * What an error teaches of the model or the server, so that the request can be sent once more without it. `null` = nothing. Words of servers are
 * matched that say so plainly; most come with 400, those of templates (llama.cpp) with 500 (ggml-org/llama.cpp 27367, read 2026-11-29).
 */
export function learnRule({ kind, message, param, code }: Failure, request: RefusedRequest): RequestRule | null {
  const text = message.slice(0, searchedMax)
  const plain = sentences.find(([pattern]) => pattern.test(text))?.[1]
  if (plain !== undefined) return plain
  if (kind !== 'bad_request') return null
  const rule =
    roomIn(text) ?? outputMaxIn(text) ?? namedParameter({ param, code }) ?? memberIn(text, request.body) ?? parameterIn(text, request.body)
  return rule !== null && isOnlyLimit(rule, request.model) ? null : rule
}

/** Models that reason have no other limit, so versions of Azure that do not know it do not have them (openai/openai-python 1724, read 2026-11-26). */
const isOnlyLimit = (rule: RequestRule, model: string): boolean =>
  rule.rule === 'without' && rule.parameter === 'max_completion_tokens' && isReasoningModel(model)

/** Of the marks, an error is believed for one request: without them, others would pay for their whole prompts. */
const once: ReadonlySet<RequestRule['rule']> = new Set(['room', 'no-marks'])

/** Whether it holds for later requests, too. */
export const isLasting = ({ rule }: RequestRule): boolean => !once.has(rule)

/** Sentences of servers, as their users quote them (read 2026-11-29); the first match wins. */
const sentences: ReadonlyArray<readonly [RegExp, RequestRule]> = [
  // Templates of Qwen 3.5 and later (vllm-project/vllm 41114, ggml-org/llama.cpp 20733).
  [
    /system message must be at the beginning|system (?:message|role) (?:must|should|can only) be (?:the )?first/i,
    { rule: 'instructions', place: 'first' },
  ],
  // Templates of Gemma and of Mistral's first models; Perplexity; Claude before Opus 4.8 under another name.
  [
    /system role (?:is )?not supported|roles (?:must|should) (?:be )?alternat|unexpected role ['"`]?system/i,
    { rule: 'instructions', place: 'user' },
  ],
  [
    /unexpected message role|(?:invalid|unknown|unsupported|unexpected) role:? ['"`]?developer|['"`]?developer['"`]? is not|unknown variant ['"`]?developer|should be ['"`]?system['"`]?,/i,
    { rule: 'no-developer' },
  ],
  // Gemini from 3.6 on, Claude from 4.6 on (LibreChat-AI/agents 323).
  [
    /requests ending with a model turn|last turn cannot be model|does not support assistant message prefill|must end with a user message|last message must have role|expected last role user/i,
    { rule: 'user-last' },
  ],
  // Servers behind subscriptions, Qwen's models that think (QuantumNous/new-api 6924 and Alibaba's "Error codes", read 2026-11-30).
  [
    /\bstream['"`]? (?:parameter )?(?:must|should|has to|needs to) be (?:set to )?['"`]?true|only supports? (?:the )?stream|only stream(?:ing|ed)?(?: \w+)? (?:is|are) (?:supported|allowed)|non-?stream(?:ing)?(?: \w+){0,2} (?:is|are) not (?:supported|allowed)|\bstreaming is required|\bstream ?= ?false is not/i,
    { rule: 'streams' },
  ],
  [/must contain the word ['"]?json/i, { rule: 'json-word' }],
  [/thinking\.type\.enabled['"`]? is not supported|use ['"`]?thinking\.type\.adaptive/i, { rule: 'thinking', form: 'adaptive' }],
  [/adaptive thinking is not supported|does not support the effort parameter/i, { rule: 'thinking', form: 'budget' }],
  [/maximum of 4 blocks with cache_control/i, { rule: 'few-marks' }],
  [/cache_control\.(?:ephemeral\.)?scope|^cache_control: extra inputs/i, { rule: 'cloud-marks' }],
  [
    /cache_control: extra inputs|cachePoint\W+(?:is )?not (?:permitted|supported)|does not support prompt caching|access to explicit prompt caching/i,
    { rule: 'no-marks' },
  ],
  [/temperature['"`]? and ['"`]?top_p['"`]? cannot both/i, { rule: 'one-sampling' }],
]

// The room in a context from which a response is worthwhile: a share of it, between two token counts. With less, the client gets the error.
const [roomShare, roomMin, roomMax] = [1 / 32, 256, 4_096]

function roomIn(text: string): RequestRule | null {
  const overflow = contextOverflowIn(text)
  if (overflow === null) return null
  const tokens = overflow.context - overflow.input
  const least = Math.max(roomMin, Math.min(roomMax, Math.floor(overflow.context * roomShare)))
  return tokens < least ? null : { rule: 'room', tokens }
}

/** Smallest limit that is believed, in tokens: a model that wrote less would be of no use. */
const outputMaxMin = 256

const isOfLimit = /max(?:imum)?[ _]?(?:output|completion|new)?[ _]?tokens|output tokens|completion tokens/i

/** The largest limit that a message names (errors of vendors as their users quote them, read 2026-11-29). */
const limits: ReadonlyArray<readonly [RegExp, number]> = [
  [/at most (\d{1,9}) (?:completion|output) tokens/i, 0],
  [/> (\d{1,9}), which is the maximum allowed/i, 0],
  [/(?:\[|from |between )\d{1,9}(?:,| to | and ) ?(\d{1,9})\]?(?! ?\(exclusive)/i, 0],
  [/to (\d{1,9}) \(exclusive\)/i, -1],
  [/(?:less than or equal to|value <=|no more than|not exceed|cannot exceed|cannot be greater than|must be <=) [`'"]?(\d{1,9})/i, 0],
  [/model limit of (\d{1,9})/i, 0],
]

function outputMaxIn(text: string): RequestRule | null {
  if (!isOfLimit.test(text)) return null
  for (const [pattern, more] of limits) {
    const tokens = Number(pattern.exec(text)?.[1] ?? 0) + more
    if (tokens >= outputMaxMin) return { rule: 'output-max', tokens }
  }
  return null
}

/** OpenAI's codes of parameters that a model has not ("Error codes", read 2026-11-21). */
const notTaken: ReadonlySet<string | null> = new Set(['unsupported_parameter', 'unknown_parameter', 'unsupported_value'])

const isRefused =
  /unsupported|not supported|n't support|not support|deprecated|unrecognized|unknown (?:parameter|field|name)|extra inputs|not permitted|not allowed|extraneous|only the default/i
/** It is the value that is wrong, and not the parameter. */
const isRange = /between|range|less than|greater than|at most|at least|must be|[<>]=/i

/** Those of which a model takes the default only; of others it may take other values. */
const fixed: ReadonlySet<Parameter> = new Set(['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'])

/** What the vendor names in a member of its own. */
function namedParameter({ param, code }: Pick<Failure, 'param' | 'code'>): RequestRule | null {
  const parameter = parameters.find((name) => name === param)
  if (parameter === undefined || !notTaken.has(code)) return null
  return code !== 'unsupported_value' || fixed.has(parameter) ? { rule: 'without', parameter } : null
}

/**
 * Where a message is only a text, it may repeat the client's own words, and what is learned of them would hold for other clients, too: of these, only
 * values are believed to be right that every model takes which has the parameter.
 */
const plainValues: { readonly [P in Parameter]?: (value: Json | undefined) => boolean } = {
  temperature: isWithin(0, 1),
  top_p: isWithin(0, 1),
  min_p: isWithin(0, 1),
  top_k: isWithin(1, 100),
  presence_penalty: isWithin(-2, 2),
  frequency_penalty: isWithin(-2, 2),
  repetition_penalty: isWithin(0, 2),
  seed: isWithin(0, 2_147_483_647),
  max_tokens: () => true,
  max_completion_tokens: () => true,
  stop: () => true,
  parallel_tool_calls: () => true,
  stream_options: () => true,
}

function isWithin(least: number, most: number) {
  return (value: Json | undefined): boolean => typeof value === 'number' && value >= least && value <= most
}

function parameterIn(text: string, body: JsonObject): RequestRule | null {
  if (!isRefused.test(text) || isRange.test(text)) return null
  const first = parameters.reduce<{ readonly name: Parameter; readonly at: number } | null>((best, name) => {
    const at = placeOf(text, name)
    return at === -1 || (best !== null && best.at <= at) ? best : { name, at }
  }, null)
  if (first === null || plainValues[first.name]?.(valueIn(body, first.name)) !== true) return null
  return { rule: 'without', parameter: first.name }
}

/** A member of a message that the request has, and that the error names as one (Kilo-Org/kilocode 10375 of Cerebras, read 2026-11-30). */
function memberIn(text: string, { messages }: JsonObject): RequestRule | null {
  if (!isRefused.test(text) || isRange.test(text)) return null
  const member = responseMembers.find((name) => isMemberNamed(text, name) && hasMember(messages, [name]))
  return member === undefined ? null : { rule: 'without-members', members: [member] }
}

/** Whether a message has the name of a member behind a dot, a bracket or a quote, or as a word that is none of English. */
function isMemberNamed(text: string, name: ResponseMember): boolean {
  const at = text.indexOf(name)
  if (at === -1 || /\w/.test(text[at + name.length] ?? ' ')) return false
  return /[.[`'"]/.test(text[at - 1] ?? ' ') || (name.includes('_') && !/\w/.test(text[at - 1] ?? ' '))
}

/** The value of a parameter in a request in any of the clients' forms. */
function valueIn(body: JsonObject, parameter: Parameter): Json | undefined {
  const config = body['generationConfig'] ?? body['generation_config']
  const camel = parameter.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return body[parameter] ?? (isObject(config) ? (config[camel] ?? config[parameter]) : undefined)
}

/** Where a message has the parameter as a word of its own; -1 = nowhere. One that is a word of English must stand in quotes or before a colon. */
function placeOf(text: string, parameter: Parameter): number {
  const at = text.indexOf(parameter)
  if (at === -1) return -1
  const [before = ' ', after = ' '] = [text[at - 1], text[at + parameter.length]]
  if (/[\w.]/.test(before) || /\w/.test(after)) return -1
  const isName = parameter.includes('_') || parameter === 'temperature' || /[`'"[]/.test(before) || (before === ' ' && after === ':')
  return isName ? at : -1
}
