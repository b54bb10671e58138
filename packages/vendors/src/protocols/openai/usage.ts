import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import { serviceTierOf } from '../../core/service-tier.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount, readCountIn } from '../../core/usage-count.ts'
import { ownObject } from '../shared/own-object.ts'
import { reportedCost } from '../shared/reported-cost.ts'
import { xaiTools } from './xai-tools.ts'

/** Names of the counts, which differ by route: the first one present is used. */
const promptNames = ['prompt_tokens', 'input_tokens'] as const
const completionNames = ['completion_tokens', 'output_tokens'] as const
const promptDetails = ['prompt_tokens_details', 'input_tokens_details', 'input_token_details', 'prompt_token_details'] as const
/** The last two are those of gateways (LiteLLM; new-api and those made from it, as tests of clients quote them, read 2026-11-23). */
const cacheWriteNames = ['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens', 'cached_creation_tokens'] as const
/** At the top of the usage; the last one is an older name. */
const cachedNames = ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens'] as const
const completionDetails = ['completion_tokens_details', 'output_tokens_details', 'output_token_details'] as const

const searchNames = ['server_tool_use_details', 'server_tool_use'] as const

/**
 * Reads a usage object. Vendors of this protocol agree on the two totals and differ on where they report cached input
 * (OpenAI API reference, "Usage" of each route, and the pages of compatible vendors, read 2026-11-21). A response without output
 * (embeddings) has a total instead. One invalid count makes the whole usage invalid. `null` = there are no counts.
 */
function readUsage(value: Json | undefined): Usage | null {
  if (!isObject(value)) return null
  const promptTokens = firstCount(value, promptNames)
  const written = firstCount(value, completionNames)
  const completionTokens = written === null ? restOfTotal(value, promptTokens) : written + reasoningBeside(value, promptTokens, written)
  if (promptTokens === null || completionTokens === null) return null
  if (!isCount(promptTokens) || !isCount(completionTokens)) return nonsense
  // The searches of aggregators that run them: OpenRouter's guides have the second name, its OpenAPI file of 2026-08 and its SDK 1.3.19 the first.
  const searches = searchNames.map((name) => readCountIn(value, name, 'web_search_requests')).find((count) => count !== null) ?? 0
  if (!isCount(searches)) return nonsense
  const usage: ReadUsage = { ...noUsage, promptTokens, completionTokens, searches }
  if (value['server_side_tool_usage_details'] !== undefined) Object.assign(usage, xaiTools(value))
  return readInput(value, usage) && readOutput(value, usage) ? usage : nonsense
}

/** A usage while it is read: members are set in place, because copies would be made for every response. */
type ReadUsage = { -readonly [Member in keyof Usage]: Usage[Member] }

/** `false` = it has an invalid count. */
function readInput(usage: JsonObject, read: ReadUsage): boolean {
  const details = firstObject(usage, promptDetails)
  const cached = readCount(details['cached_tokens']) ?? firstCount(usage, cachedNames) ?? 0
  // LiteLLM has its own beside the details, which OpenAI's form lacks.
  const written = firstCount(details, cacheWriteNames) ?? readCount(usage['cache_creation_input_tokens']) ?? 0
  const audio = readCount(details['audio_tokens']) ?? 0
  // Videos cost what images cost (Alibaba Cloud Model Studio, "Qwen-Omni", read 2026-11-29).
  const image = (readCount(details['image_tokens']) ?? 0) + (readCount(details['video_tokens']) ?? 0)
  const cachedAudio = readCountIn(details, 'cached_tokens_details', 'audio_tokens') ?? 0
  const cachedImage = readCountIn(details, 'cached_tokens_details', 'image_tokens') ?? 0
  if (!isCount(cached + written) || !isCount(audio + image) || !isCount(cachedAudio + cachedImage)) return false
  const total = read.promptTokens
  read.cachedTokens = Math.min(cached, total)
  read.cacheWriteTokens = Math.min(written, total - read.cachedTokens)
  // Alibaba Cloud Model Studio, "Context cache", a copy of 2026-10-11, and responses that clients quote: only an explicit cache has a type.
  read.isCacheExplicit = details['cache_type'] === 'ephemeral' || read.cacheWriteTokens > 0
  const fresh = total - read.cachedTokens - read.cacheWriteTokens
  read.audioInputTokens = Math.min(Math.max(0, audio - cachedAudio), fresh)
  read.audioMs = audioMs(usage['prompt_audio_seconds'])
  read.imageInputTokens = Math.min(Math.max(0, image - cachedImage), fresh - read.audioInputTokens)
  return true
}

/** Seconds of audio that no vendor takes. */
const audioSecondsMax = 1_000_000

/** The length of the audio in a prompt, which Mistral bills beside its tokens ("Audio", read 2026-11-29); 0: none, or no length. */
function audioMs(seconds: Json | undefined): number {
  return typeof seconds === 'number' && seconds > 0 && seconds <= audioSecondsMax ? Math.ceil(seconds * 1000) : 0
}

/** `false` = it has an invalid count. */
function readOutput(usage: JsonObject, read: ReadUsage): boolean {
  const details = firstObject(usage, completionDetails)
  const reasoning = reasoningIn(usage)
  const audio = readCount(details['audio_tokens']) ?? 0
  const image = readCount(details['image_tokens']) ?? 0
  if (!isCount(reasoning + audio + image)) return false
  const total = read.completionTokens
  read.reasoningTokens = Math.min(reasoning, total)
  read.audioOutputTokens = Math.min(audio, total)
  read.imageOutputTokens = Math.min(image, total - read.audioOutputTokens)
  return true
}

function firstCount(usage: JsonObject, names: readonly string[]): number | null {
  for (const name of names) {
    const count = readCount(usage[name])
    if (count !== null) return count
  }
  return null
}

const noDetails: JsonObject = {}

function firstObject(usage: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) {
    const value = usage[name]
    if (isObject(value)) return value
  }
  return noDetails
}

/** `total_tokens` without the prompt. */
function restOfTotal(usage: JsonObject, promptTokens: number | null): number | null {
  const total = readCount(usage['total_tokens'])
  return total === null || promptTokens === null ? null : total - promptTokens
}

/**
 * Reasoning that the vendor does not include in the completion: the total is then the sum of prompt, completion and reasoning (xAI, and
 * vendors that copy it). Otherwise it is the sum of the first two.
 */
function reasoningBeside(usage: JsonObject, promptTokens: number | null, completionTokens: number): number {
  const reasoning = reasoningIn(usage)
  return readCount(usage['total_tokens']) === (promptTokens ?? 0) + completionTokens + reasoning ? reasoning : 0
}

/** SGLang, which Azure runs some models with, has it at the top of the usage. */
function reasoningIn(usage: JsonObject): number {
  return readCount(firstObject(usage, completionDetails)['reasoning_tokens']) ?? readCount(usage['reasoning_tokens']) ?? 0
}

/** The usage of a response or chunk: at the top, inside a vendor's own `x_...` object, or inside the choice. */
export function usageIn(body: JsonObject): Usage | null {
  const reported = usageOf(body)
  const usage = readUsage(reported)
  if (usage === null || usage.isSuspect) return usage
  const serviceTier = serviceTierOf(body)
  const costNanos = isObject(reported) ? reportedCost(reported) : null
  // A vendor that reports a cost or a provider is an aggregator, and may have used another model than the requested one.
  const isOfMany = costNanos !== null || typeof body['provider'] === 'string'
  if (serviceTier === 'standard' && !isOfMany) return usage
  return { ...usage, serviceTier, costNanos, responseModel: isOfMany ? modelOf(body) : null }
}

/** Longest name of a model that is kept. */
const modelMax = 256

function modelOf({ model }: JsonObject): string | null {
  return typeof model === 'string' && model !== '' && model.length <= modelMax ? model : null
}

function usageOf(body: JsonObject): Json | undefined {
  const { usage, choices } = body
  if (usage !== undefined && usage !== null) return usage
  const own = ownObject(body, 'usage')
  if (own !== null) return own['usage']
  const [choice] = Array.isArray(choices) ? choices : []
  return isObject(choice) ? choice['usage'] : undefined
}
