import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { serviceTierOf } from '@sluice/vendors/core/service-tier'
import type { ServiceTier } from '@sluice/vendors/core/usage'
import { objectsIn } from '@sluice/vendors/protocols/shared/chat-parts'
import { AppError } from '../../../lib/app-error.ts'
import type { PathParts } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { estimateTokens } from '../../pricing/count-tokens.ts'

const modelForm = /^[\w.:/@+-]{1,256}$/

/** The model of a request, from its body or else from its path. @throws AppError */
export function modelIn({ model }: JsonObject, path: PathParts = {}): string {
  const named = model ?? path['model']
  if (typeof named !== 'string' || named === '') throw new AppError('model_required')
  if (!modelForm.test(named)) throw new AppError('model_not_found', { params: { model: named.slice(0, 80) } })
  return named
}

/** Whether a stream and its usage are requested. @throws AppError */
export function streamIn({ stream, stream_options: options }: JsonObject): { readonly isStream: boolean; readonly wantsUsage: boolean } {
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw new AppError('stream_invalid')
  return { isStream: stream === true, wantsUsage: isObject(options) && options['include_usage'] === true }
}

/** An integer field; `null`: missing. @throws AppError */
export function countIn(body: JsonObject, name: string, max: number): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
    throw new AppError('invalid_parameter', { params: { name } })
  return value
}

/** A string field that affects the price; `null`: missing. @throws AppError */
export function wordIn(body: JsonObject, name: string): string | null {
  const value = body[name]
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || !/^[\w.:x*-]{1,32}$/.test(value)) throw new AppError('invalid_parameter', { params: { name } })
  return value
}

/** A limit of output tokens; `null`: missing, or 0 or -1, which some clients send for no limit. @throws AppError */
export function tokenLimitIn(body: JsonObject, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (value === 0 || value === -1) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw new AppError('max_tokens_invalid', { params: { name } })
  return value
}

/**
 * Estimated tokens of an input that is a text, a list of texts, or lists of tokens (embeddings, completions, moderations).
 * @throws AppError if it is missing or has another form
 */
export function inputTokens(body: JsonObject, name: string): number {
  const tokens = tokensOf(body[name])
  if (tokens === null) throw new AppError('invalid_parameter', { params: { name } })
  return tokens
}

/** The prompt of a call without a chat: these members together. @throws AppError */
export function textIn(body: JsonObject, names: readonly string[]): Pick<RequestParams, 'promptTokens' | 'textPrompt'> {
  const promptTokens = names.reduce((sum, name) => sum + inputTokens(body, name), 0)
  return names.every((name) => isAllText(body[name]))
    ? { promptTokens, textPrompt: { tokens: promptTokens, messages: 0 } }
    : { promptTokens }
}

/** Texts and tokens, and no images. */
function isAllText(input: Json | undefined): boolean {
  if (!Array.isArray(input)) return typeof input === 'string'
  return input.every((part) => !isObject(part) || typeof part['text'] === 'string')
}

function tokensOf(input: Json | undefined): number | null {
  if (typeof input === 'string') return input === '' ? null : estimateTokens(input)
  if (!Array.isArray(input) || input.length === 0) return null
  let tokens = 0
  for (const part of input) {
    const count = tokensOfPart(part)
    if (count === null) return null
    tokens += count
  }
  return tokens
}

/** A number is one token; an array is a list of tokens; an object is a part with a text or an image. */
function tokensOfPart(part: Json): number | null {
  if (typeof part === 'number') return 1
  if (typeof part === 'string') return estimateTokens(part)
  if (Array.isArray(part)) return part.every((token) => typeof token === 'number') ? part.length : null
  if (!isObject(part)) return null
  const { text } = part
  return typeof text === 'string' ? estimateTokens(text) : countImageTokens
}

/** Estimated tokens of an image for the reservation; the charge uses the vendor's count. */
const countImageTokens = 1_500

/** Whether the response must be made within a region, as Anthropic's `inference_geo` asks for it. */
export function regionIn({ inference_geo: place }: JsonObject): { readonly isRegional?: boolean } {
  return typeof place === 'string' && place !== 'global' ? { isRegional: true } : {}
}

/**
 * The requested service tier, also of the models that may respond to instead; the response has the actual one. Anthropic's `speed` is something else than
 * OpenAI's tiers.
 */
export function serviceTierIn(body: JsonObject): ServiceTier {
  return [body, ...objectsIn(body['fallbacks'])].some(({ speed }) => speed === 'fast') ? 'fast' : serviceTierOf(body)
}
