import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { withFewMarks } from '../rules/cache-marks.ts'
import { withAllowedTools } from '../shared/allowed-tools.ts'
import { omitUndefined, stopsIn } from '../shared/chat-parts.ts'
import { lackedIn } from '../shared/feature-use.ts'
import { hasLegacyFunctions, withTools } from '../shared/legacy-functions.ts'
import { limitIn, withoutEmptyLimits } from '../shared/token-limit-fields.ts'
import { betasFor } from './betas.ts'
import { toConversation, withoutPrefill } from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { type OutputFormat, toOutputFormat } from './output-format.ts'
import { withSearchLimit } from './search-limit.ts'
import { lowered, type Thinking, toThinking } from './thinking.ts'
import { forcesTool, searchTools, toToolChoice, toTools } from './tools.ts'

/** Every request must name its API version. */
export const apiVersion = { 'anthropic-version': '2023-06-01' } as const

/** The limit when neither client nor gateway sets one, as of a model whose limit is not known; the vendor requires it. */
const defaultMaxTokens = 8_192

/** Fields of the vendor's own that a client may send beside OpenAI's. */
const ownFields = [
  'mcp_servers',
  'context_management',
  'container',
  'speed',
  'inference_geo',
  'fallbacks',
  'cache_control',
  'output_format',
] as const

/** Claude takes no audio or videos, and the API has no blocks for them. */
const lacks = ['audio in', 'videos in'] as const

/** A chat in Anthropic's form (Messages API, read 2026-11-21). */
export function toAnthropic(request: JsonObject, { model, stream, outputLimit, searchesMax, rewrites }: Target): Outgoing {
  const chat = withAllowedTools(withTools(withoutEmptyLimits(request)))
  const traits = traitsOf(model)
  const { system, messages, hasLostThinking } = toConversation(chat['messages'], rewrites)
  const format = toOutputFormat(chat, traits, rewrites)
  const unlimited = [...toTools(chat['tools'], traits, rewrites), ...searchTools(chat['web_search_options']), ...format.tools]
  const tools = withSearchLimit(unlimited, searchesMax)
  const choice = tools.length === 0 ? undefined : (format.toolChoice ?? toToolChoice(chat))
  const limit = outputLimit === undefined ? limitIn(chat) : null
  const refused = forcesTool(choice) && !traits.takesForcedTool ? 'tool_choice' : lackedIn(chat, lacks)
  const thinking = toThinking(chat, traits, { hasLostThinking, forcesTool: forcesTool(choice), limit, outputLimit })
  const draft = omitUndefined({
    model,
    max_tokens: limitOf(outputLimit ?? (limit ?? defaultMaxTokens) + thinking.extraTokens, { most: traits.outputMax, limit, rewrites }),
    messages: traits.takesPrefill && !thinking.isOn ? messages : withoutPrefill(messages, rewrites),
    system: systemOf([...system, ...format.system]),
    stream: stream ? true : undefined,
    ...sampling(chat, traits, thinking.isOn),
    stop_sequences: stopSequences(chat['stop']),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: choice,
    thinking: thinking.field,
    output_config: outputConfig(chat, thinking, format),
    metadata: metadataOf(chat),
    service_tier: lookUp(tiers, textOr(chat['service_tier'], '')),
    ...Object.fromEntries(ownFields.map((name) => [name, chat[name]])),
  })
  const body = withFewMarks(draft, rewrites)
  return {
    path: '/v1/messages',
    headers: { ...apiVersion, ...betasFor(body) },
    body,
    ...(hasLegacyFunctions(request) ? { callsFunctions: true } : {}),
    ...(format.unwrapTool === null ? {} : { unwrapTool: format.unwrapTool }),
    ...(refused === null ? {} : { refused }),
  }
}

interface OutputRoom {
  /** What the model can write. */
  readonly most: number
  /** The client's own limit. */
  readonly limit: number | null
  readonly rewrites: Rewrites
}

/** A limit that the model takes; a higher one of the client is lowered, unless the channel wants it unchanged. */
function limitOf(tokens: number, { most, limit, rewrites }: OutputRoom): number {
  if (limit === null || limit <= most) return Math.min(most, tokens)
  if (!rewrites.may('output_limit')) return tokens
  rewrites.note('output_limit', `output limit -> ${most}`)
  return most
}

/** The system prompt as a string, or as blocks if it has `cache_control`. */
function systemOf(blocks: readonly JsonObject[]): Json | undefined {
  if (blocks.length === 0) return undefined
  const isPlain = blocks.every((block) => block['type'] === 'text' && block['cache_control'] === undefined)
  return isPlain ? blocks.map((block) => textOr(block['text'], '')).join('\n\n') : blocks
}

/** Sampling fields; left out when the model thinks, because it refuses them then. */
function sampling(chat: JsonObject, traits: ModelTraits, isThinking: boolean): JsonObject {
  if (traits.refusesTuning || isThinking) return {}
  const { temperature, top_p: topP, top_k: topK } = chat
  const isTemperatureGiven = typeof temperature === 'number'
  return {
    // OpenAI's range ends at 2, Anthropic's at 1.
    temperature: isTemperatureGiven ? Math.min(1, Math.max(0, temperature)) : undefined,
    top_p: isTemperatureGiven && traits.takesOneSampling ? undefined : topP,
    top_k: topK,
  }
}

/** Words of white space only are refused. */
function stopSequences(stop: Json | undefined): readonly string[] | undefined {
  const list = stopsIn(stop).filter((text) => text.trim() !== '')
  return list.length === 0 ? undefined : list
}

function outputConfig({ output_config: config }: JsonObject, thinking: Thinking, format: OutputFormat): JsonObject | undefined {
  const own = isObject(config) ? config : {}
  const effort = thinking.effort ?? (typeof own['effort'] === 'string' ? own['effort'] : null)
  const isOff = thinking.field?.['type'] === 'disabled' || thinking.field?.['type'] === 'between_tools'
  const fitting = isOff ? lowered(effort) : effort
  const result = { ...own, ...format.outputConfig, ...(fitting === null ? {} : { effort: fitting }) }
  return Object.keys(result).length === 0 ? undefined : result
}

/** OpenAI's `metadata` is a free map of the client; the vendor accepts `user_id` only. */
function metadataOf({ metadata, safety_identifier: identifier, user }: JsonObject): JsonObject | undefined {
  const ids = [isObject(metadata) ? metadata['user_id'] : undefined, identifier, user]
  const id = ids.find((value): value is string => typeof value === 'string' && isOpaque(value))
  return id === undefined ? undefined : { user_id: id }
}

/** The vendor refuses ids that identify a person, such as a mail address or phone number ("Metadata", read 2026-11-21). */
function isOpaque(id: string): boolean {
  return id !== '' && id.length <= 256 && !/@|^\+?[\d\s().-]{7,}$/.test(id)
}

const tiers: Readonly<Record<string, string>> = { auto: 'auto', default: 'standard_only', standard_only: 'standard_only' }
