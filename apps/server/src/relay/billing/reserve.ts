import type { Settings } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/core/no-usage'
import type { Usage } from '@sluice/vendors/core/usage'
import { noTools } from '@sluice/vendors/protocols/bodies/offered-tools'
import { isSearchingModel } from '@sluice/vendors/registry/causable-usage'
import type { Price } from '@sluice/vendors/registry/models/prices'
import { type Counts, quotaFor, quotaWith, type Rates } from '../../ledger/price.ts'
import type { BillableParams, RequestParams, UncountedInput } from '../model/request-params.ts'
import { msOfAudioTokens } from '../pricing/audio-tokens.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import { addUncounted } from '../pricing/prompt-media.ts'
import type { PriceBasis, ResolvedPrice } from '../pricing/resolve-price.ts'
import { type ToolUses, toolsQuota } from '../pricing/tool-line-items.ts'

/** Output tokens of one response without which a request is not worth sending: its prompt would be paid for a piece of a response. */
const usefulMin = 4_096
/**
 * What a long prompt leaves of the context at least, by our estimate: that is not exact, and a model whose context is really full refuses the
 * request for free. Of a short context it is less, because self-hosted servers refuse every limit that does not fit.
 */
const roomMin = 256
const roomShare = 1 / 32
/** Margin on our estimate of the prompt: a tenth, and some tokens. */
const promptShare = 1.1
const promptSlack = 64
/** Output tokens by which a running stream extends its reservation; also the maximum charged beyond the balance. */
export const windowTokens = 1_024

/** The parameters of a request that cost something. */
export interface BillableRequest extends BillableParams {
  readonly model: string
  readonly isStream: boolean
  readonly promptTokens: number
  /** Input tokens beyond `promptTokens` that are reserved (0): what is left for the output does not depend on them. */
  readonly uncountedTokens?: number
  /** The parts of the prompt that are audio and images (0), and files that only the vendor sees (none). */
  readonly audioTokens?: number
  readonly imageTokens?: number
  readonly uncounted?: UncountedInput | undefined
  /** Uses of the vendor's own tools that are reserved (`first`). */
  readonly toolUses?: ToolUses
  /** Maximum output tokens of one response; `null`: the client set none. */
  readonly maxTokens: number | null
  readonly choices: number
}

/** The reservation of a request. */
export interface Reservation {
  /** Quota. */
  readonly amount: number
  /** The minimum to reserve if the balance does not cover `amount`. Equal to it if the client set a limit. */
  readonly least: number
  /** Output tokens of one response: the client's limit, or what the model can write. */
  readonly outputMax: number
  /** `outputMax` is a guess, because neither the client nor any table has a number. */
  readonly isAssumed: boolean
  /** What a search by the vendor costs. */
  readonly searchQuota: number
  /** The cost of so many output tokens of all choices together, without the rest. */
  readonly outputQuota: (outputTokens: number) => number
  /** Output tokens of one response that this quota pays for; `null`: output is free or not charged by tokens. */
  readonly outputWithin: (amount: number) => number | null
}

/**
 * Everything known to be charged (prompt, images, audio, characters, the call), plus the output: the client's limit in full, or without
 * one what the model can write, within the balance. A stream without a limit begins with at most `MaxReserve` for its output, and reserves more as
 * it goes. Reasoning counts as output. Prices per piece are reserved exactly. If other models may respond, the most expensive of them is reserved.
 */
export function reserveFor(request: BillableRequest, resolvedPrice: ResolvedPrice, settings: Settings): Reservation {
  const others = (request.use?.models ?? []).flatMap(({ role, model }) => (role === 'beside' ? [] : (resolvedPrice.ofTool([model]) ?? [])))
  const own = reserveAt(request, resolvedPrice, settings)
  const reservations = others.map(({ price }) => reserveAt(request, price, settings))
  return reservations.reduce((dearest, other) => (other.amount > dearest.amount ? other : dearest), own)
}

function reserveAt(requested: BillableRequest, resolvedPrice: ResolvedPrice, settings: Settings): Reservation {
  const { choices, maxTokens, isStream, promptTokens, uncountedTokens = 0, toolUses = 'first' } = requested
  const outputMax = maxTokens ?? mayWrite(requested, resolvedPrice)
  const isAssumed = maxTokens === null && resolvedPrice.limits.isAssumed && resolvedPrice.price.outputMax === undefined
  const request = uncountedTokens === 0 ? requested : { ...requested, promptTokens: promptTokens + uncountedTokens }
  const basis = basisOf(request, inAll(outputMax, choices))
  const counts = knownCounts(request, resolvedPrice)
  const unit = outputUnit(request, resolvedPrice)
  const rates = dearestRates(request, resolvedPrice, { ...counts, [unit]: inAll(outputMax, choices) })
  const tool = toolsQuota(withOwnSearch(request, resolvedPrice), toolUses, { resolvedPrice, basis }) + advisorQuota(request, resolvedPrice)
  const quotaOf = (outputTokens: number): number => tool + quotaWith(counts, rates, { unit, count: outputTokens })
  const fixed = tool + quotaFor(counts, rates)
  const outputQuota = (outputTokens: number): number => quotaOf(outputTokens) - fixed
  const full = quotaOf(inAll(outputMax, choices))
  const limits = { outputMax, isAssumed, searchQuota: rates.each.searches }
  // Prices per piece replace prices per token.
  if (isPaidByPiece(request)) return { ...limits, amount: fixed, least: fixed, ...withoutOutput }
  if (full === 0) return { ...limits, amount: 0, least: 0, ...withoutOutput }
  const least = maxTokens === null ? quotaOf(inAll(Math.min(usefulMin, outputMax), choices)) : full
  const amount = maxTokens === null && isStream ? Math.min(full, Math.max(least, fixed + settings.MaxReserve)) : full
  const each = rates.each[unit] * choices
  return {
    ...limits,
    amount: Math.max(amount, settings.PreConsumedQuota),
    least: Math.max(least, settings.PreConsumedQuota),
    outputQuota,
    outputWithin(paid) {
      if (full === fixed || each === 0) return null
      let tokens = Math.floor((paid - fixed) / each)
      while (tokens > 0 && quotaOf(tokens * choices) > paid) tokens -= 1
      // What is left of the unit to which the rest was rounded up pays for a few.
      return paid >= full ? Math.max(tokens, outputMax) : tokens
    },
  }
}

/** With the search of a model that searches in every call; a price for the call has it in it. */
function withOwnSearch(request: BillableRequest, { price }: ResolvedPrice): BillableRequest {
  const { use, model } = request
  if (use === undefined || use.offered.searches > 0 || price.call !== undefined || !isSearchingModel(model)) return request
  return { ...request, use: { ...use, offered: { ...use.offered, searches: 1 } } }
}

/** Of a request whose output is free, or is not charged by tokens. */
const withoutOutput: Pick<Reservation, 'outputQuota' | 'outputWithin'> = { outputQuota: () => 0, outputWithin: () => null }

/** A context that is assumed where no table has the model's. */
const assumedContext = 200_000

/** What the vendor may read beyond the prompt. */
export function uncountedIn({
  uncounted,
  sealedTokens = 0,
  use,
}: Pick<RequestParams, 'uncounted' | 'sealedTokens' | 'use'>): UncountedInput {
  const { least, most } = addUncounted(uncounted, use?.offered.reads) ?? noTools.reads
  return { least, most: most + sealedTokens }
}

/** How many tokens of `uncounted` fit into the model's context, beside the prompt. */
export function uncountedWithin(
  tokens: number,
  { promptTokens }: Pick<BillableRequest, 'promptTokens'>,
  { limits }: ResolvedPrice,
): number {
  const context = limits.contextMax ?? assumedContext
  return Math.max(0, Math.min(tokens, Math.ceil(context - promptTokens)))
}

/** Output tokens of one question to an advisor. */
const adviceTokens = 2_048

/** Questions to each advisor that the request names, which reads the whole prompt. */
function advisorQuota({ use, promptTokens, toolUses = 'first' }: BillableRequest, resolvedPrice: ResolvedPrice): number {
  const usage = { ...noUsage, promptTokens, completionTokens: adviceTokens }
  let sum = 0
  for (const { model, uses } of use?.models ?? []) {
    const price = uses === undefined ? undefined : resolvedPrice.ofTool([model])?.price
    if (price === undefined) continue
    sum += quotaFor(countsOf(usage, price.price, true), price.ratesFor(usage)) * (toolUses === 'all' ? (uses ?? 1) : 1)
  }
  return Math.min(sum, Number.MAX_SAFE_INTEGER)
}

/** @param order with all that the vendor may read as its prompt */
function knownCounts(request: BillableRequest, { price }: ResolvedPrice): Counts {
  const { promptTokens, images = 0, characters = 0, audioMs = 0, calls = 0, callsMax = calls } = request
  const media = mediaIn(request, price)
  const texts = Math.max(0, promptTokens - media.audioInputTokens - media.imageInputTokens)
  const read = { ...noUsage, ...cacheWrites(texts, request.use, price), promptTokens, calls: callsMax, ...media }
  const billedAudioMs = price.audioSecond === undefined ? audioMs : Math.max(audioMs, msOfAudioTokens(read.audioInputTokens))
  const counts = countsOf({ ...read, images, characters, audioMs: billedAudioMs }, price, false)
  // What an image is made from is paid beside it where the price counts it.
  return images > 0 && price.ratio !== undefined ? { ...countsOf(read, price, false), ...counts } : counts
}

const noWrites: Partial<Usage> = {}

/**
 * The texts of the prompt, if all of it may be written to the vendor's cache for more than it costs: where the request has marks, and where the vendor needs
 * none, which shows in a price for one life only.
 */
function cacheWrites(tokens: number, use: BillableRequest['use'], { cacheWrite = 1, cacheWrite1h }: Price): Partial<Usage> {
  const life = use?.cacheLife ?? (cacheWrite1h === undefined ? '5m' : null)
  if (life === '1h' && (cacheWrite1h ?? 1) > cacheWrite) return { cacheWrite1hTokens: tokens }
  return life !== null && cacheWrite > 1 ? { cacheWriteTokens: tokens } : noWrites
}

const isPaidByPiece = ({ images = 0, characters = 0, audioMs = 0 }: BillableRequest): boolean => images + characters + audioMs > 0

/** The tokens of the prompt that are audio and images. What only the vendor can measure may all be of the dearer kind, if it is a file. */
function mediaIn(
  { imageTokens = 0, audioTokens = 0, images = 0, uncounted, uncountedTokens = 0 }: BillableRequest,
  { audio = 1, image = 1, audioSecond }: Price,
): InputTokens {
  const unknown = uncounted === undefined ? 0 : uncountedTokens
  const isAudio = images === 0 && (audio > image || audioSecond !== undefined)
  return {
    audioInputTokens: audioTokens + (isAudio ? unknown : 0),
    imageInputTokens: imageTokens + (isAudio || (images === 0 && image <= 1) ? 0 : unknown),
  }
}

type InputTokens = Pick<Usage, 'audioInputTokens' | 'imageInputTokens'>

/** The model's output limit, from its price row or the table of models, reduced by the prompt to what fits its context. */
function mayWrite({ promptTokens }: BillableRequest, { price, limits: { outputMax, contextMax } }: ResolvedPrice): number {
  const most = price.outputMax ?? outputMax
  if (contextMax === null) return most
  const left = Math.floor(contextMax - promptTokens * promptShare - promptSlack)
  const least = Math.max(roomMin, Math.min(usefulMin, Math.floor(contextMax * roomShare)))
  return Math.min(most, Math.max(least, left))
}

/** The highest of the prices that the response can have, by the length that it will have. */
function dearestRates(request: BillableRequest, resolvedPrice: ResolvedPrice, counts: Counts): Rates {
  const { price, ratesFor } = resolvedPrice
  const outputMax = counts[outputUnit(request, resolvedPrice)] ?? 0
  const longest = ratesFor(basisOf(request, outputMax))
  const steps =
    price.tiers?.flatMap(({ aboveOutput }) => (aboveOutput === undefined || aboveOutput >= outputMax ? [] : [aboveOutput])) ?? noSteps
  if (steps.length === 0) return longest
  // Up to a step the price before it applies.
  const others = steps.map((step) => ratesFor(basisOf(request, step)))
  return others.reduce((dearest, rates) => (quotaFor(counts, rates) > quotaFor(counts, dearest) ? rates : dearest), longest)
}

const noSteps: readonly number[] = []

/** Audio and images cost more than text, and nobody knows before how much of a response they will be. */
function outputUnit({ isSpoken = false }: BillableRequest, { price }: ResolvedPrice): 'completion' | 'audioOutput' | 'imageOutput' {
  if (isSpoken) return 'audioOutput'
  return price.imageCompletion === undefined ? 'completion' : 'imageOutput'
}

function inAll(tokens: number, choices: number): number {
  return Math.min(tokens * choices, Number.MAX_SAFE_INTEGER)
}

/** The parameters that determine a request's price before its response. */
function basisOf(request: BillableRequest, completionTokens: number): PriceBasis {
  const {
    promptTokens,
    audioTokens = 0,
    imageTokens = 0,
    uncounted,
    serviceTier = 'standard',
    isRegional,
    imageSize,
    imageQuality,
  } = request
  const read = { promptTokens, audioInputTokens: audioTokens, imageInputTokens: imageTokens + (uncounted === undefined ? 0 : 1) }
  // All of it may be reasoning.
  return { ...read, completionTokens, reasoningTokens: completionTokens, serviceTier, isRegional, imageSize, imageQuality }
}
