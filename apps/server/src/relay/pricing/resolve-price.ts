import { messageText } from '@sluice/contract'
import type { ServiceTier } from '@sluice/vendors/core/usage'
import { type OutputLimits, outputLimitsOf } from '@sluice/vendors/registry/models/output-limits'
import type { Price, PriceTier } from '@sluice/vendors/registry/models/prices'
import { type Products, type Rates, ratesOf } from '../../ledger/price.ts'

/** Parameters of a request that change its whole price. */
export interface PriceBasis {
  readonly promptTokens: number
  readonly completionTokens: number
  /** The part of them that is reasoning, and audio (0). */
  readonly reasoningTokens?: number
  readonly audioOutputTokens?: number
  /** The part of the prompt that is audio, and images or videos (0). */
  readonly audioInputTokens?: number
  readonly imageInputTokens?: number
  readonly serviceTier: ServiceTier
  readonly isRegional?: boolean | undefined
  readonly isCacheExplicit?: boolean
  /** Tokens of the longest of its calls, where its vendor reports them separately: each has the price of its own length. */
  readonly largestCall?: number | null
  /** As the request gives them; `undefined`: not given. */
  readonly imageSize?: string | undefined
  readonly imageQuality?: string | undefined
}

/** The price of one model for one group, with the settings at the beginning of a request. */
export interface ResolvedPrice {
  readonly price: Price
  /** The model's output and context limits. */
  readonly limits: OutputLimits
  readonly ratesFor: (basis: PriceBasis) => Rates
  /** The price of the first of these models that has one, for the same group (models that a vendor's tool used); `null`: none has. */
  readonly ofTool: (models: readonly string[]) => ResolvedToolPrice | null
  /** The ratios as text, for the log row. */
  readonly ratios: string
  /** The price of a response from a channel of this type. */
  readonly ofType: (type: number) => ResolvedPrice
  /** The highest price that channels of these types have. */
  readonly dearestOf: (types: readonly number[]) => ResolvedPrice
  /** What it is computed from, for work that is charged long after it was priced. */
  readonly parts: PriceParts
}

/** The price of a model, and the factors on all of it. They can be stored as JSON. */
export interface PriceParts {
  readonly price: Price
  readonly factors: Factors
}

export interface ResolvedToolPrice {
  readonly model: string
  readonly price: ResolvedPrice
}

/** A model with any of these has a price. */
const bases = ['ratio', 'second', 'character', 'picture', 'call', 'video', 'credit'] as const

export function hasPrice(price: Price | null): price is Price {
  return price !== null && bases.some((base) => price[base] !== undefined)
}

/** Quota units per dollar, as a ratio of 1 is two dollars per million tokens. The console uses `QuotaPerUnit`. */
const quotaPerDollar = 500_000
/** Prompt tokens of an image without a price of its own (as in one-api and its forks). */
const countImageTokens = 1_000
/** Prompt tokens per millisecond of audio (OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21: one per 100 ms). */
const tokensPerMs = 0.01

export type WithoutVariants = Omit<ResolvedPrice, 'ofTool' | 'ofType' | 'dearestOf'>

export function resolvePrice(model: string, price: Price, factors: Factors): WithoutVariants {
  const rates = new Map<string, Rates>()
  function ratesFor(basis: PriceBasis): Rates {
    const tier = tierOf(price.tiers ?? [], basis)
    const speed = speedFactor(price, basis.serviceTier)
    const region = basis.isRegional === true ? (price.regional ?? 1) : 1
    const size = sizeFactor(price, basis)
    const resolved = responseOf(basis)
    const key = `${price.tiers?.indexOf(tier)} ${Object.values(resolved).join(' ')} ${speed} ${region} ${size}`
    const known = rates.get(key)
    if (known !== undefined) return known
    const computed = ratesOf(productsOf(priceFor({ ...price, ...tier }, resolved), { ...factors, speed, region, size }))
    rates.set(key, computed)
    return computed
  }
  const plain = ratesFor({ promptTokens: 0, completionTokens: 0, serviceTier: 'standard' })
  const choices = ['tiers', 'pictures', 'thinking', 'mediaCompletion', 'spokenCompletion', 'cachedExplicit'] as const
  const isOne = choices.every((field) => price[field] === undefined)
  const { ratio = 0, completion = 1 } = price
  const ratios = messageText('log_consume', { model, ratio, group: factors.group, factors: retailText(factors), completion })
  return {
    price,
    limits: outputLimitsOf(model),
    ratesFor: isOne ? (basis) => (basis.serviceTier === 'standard' && basis.isRegional !== true ? plain : ratesFor(basis)) : ratesFor,
    ratios,
    parts: { price, factors },
  }
}

/** The retail factors for the log row, if any is not 1. */
function retailText({ vendor, retail }: Factors): string {
  const ofType = vendor === 1 ? '' : messageText('log_type_factor', { factor: vendor })
  return ofType + (retail === 1 ? '' : messageText('log_retail_factor', { factor: retail }))
}

/** What of a response decides the price of its tokens. */
interface PriceResult {
  readonly hasReasoning: boolean
  readonly isSpoken: boolean
  readonly isToMedia: boolean
  readonly isCacheExplicit: boolean
}

function responseOf(basis: PriceBasis): PriceResult {
  const { reasoningTokens = 0, audioOutputTokens = 0, audioInputTokens = 0, imageInputTokens = 0, isCacheExplicit = false } = basis
  return {
    hasReasoning: reasoningTokens > 0,
    isSpoken: audioOutputTokens > 0,
    isToMedia: audioInputTokens + imageInputTokens > 0,
    isCacheExplicit,
  }
}

/** The price of such a response. */
function priceFor(price: Price, { hasReasoning, isSpoken, isToMedia, isCacheExplicit }: PriceResult): Price {
  const { thinking, mediaCompletion, spokenCompletion, cachedExplicit } = price
  return {
    ...price,
    ...(hasReasoning && thinking !== undefined && { completion: thinking }),
    ...(isToMedia && mediaCompletion !== undefined && { completion: mediaCompletion }),
    ...(isSpoken && spokenCompletion !== undefined && { completion: spokenCompletion }),
    ...(isCacheExplicit && cachedExplicit !== undefined && { cached: cachedExplicit }),
  }
}

const noTier: PriceTier = {}

function tierOf(tiers: readonly PriceTier[], { promptTokens, completionTokens, largestCall }: PriceBasis): PriceTier {
  const length = Math.min(promptTokens, largestCall ?? promptTokens)
  return tiers.findLast(({ above = -1, aboveOutput = -1 }) => length > above && completionTokens > aboveOutput) ?? noTier
}

/**
 * The factor of a tier that a price does not have: a vendor that says that it served a request in such a tier charges more for it, also where
 * no page has the number (AWS).
 */
const usualFactors: Readonly<Record<ServiceTier, number>> = { standard: 1, flex: 1, priority: 2, fast: 2, ultrafast: 6, batch: 1 }

function speedFactor(price: Price, tier: ServiceTier): number {
  return (tier === 'standard' ? undefined : price[tier]) ?? usualFactors[tier]
}

/** For a size or quality without a price, the highest price applies. */
function sizeFactor({ pictures: images, pictureDefault: imageDefault = '' }: Price, { imageSize, imageQuality }: PriceBasis): number {
  if (images === undefined) return 1
  const [size = '', quality = 'standard'] = imageDefault.split(' ').toReversed()
  const requested = { size: named(imageSize) ?? size, quality: named(imageQuality) ?? quality }
  const bySize = requested.quality === 'standard' ? images[requested.size] : undefined
  return images[`${requested.quality} ${requested.size}`] ?? bySize ?? Math.max(...Object.values(images))
}

function named(word: string | undefined): string | undefined {
  return word === '' || word === 'auto' ? undefined : word
}

/** Factors of every price of a request: of the group, of the type of the channel that responds, and of the model. */
export interface Factors {
  readonly group: number
  readonly vendor: number
  readonly retail: number
}

interface Multipliers extends Factors {
  readonly speed: number
  readonly region: number
  readonly size: number
}

function productsOf(price: Price, { group, vendor, retail, speed, region, size }: Multipliers): Products {
  const { ratio, completion = 1, audio, image } = price
  const each = [group, vendor, retail]
  const all = [...each, speed, region]
  const dollars = (usd: number | undefined): readonly number[] | undefined =>
    usd === undefined ? undefined : [usd, quotaPerDollar, ...all]
  // Neither the service tier of the model nor its region changes the price of its tools.
  const tool = (usd: number | undefined): readonly number[] => (usd === undefined ? [] : [usd, quotaPerDollar, ...each])
  const tokens = (...factors: readonly number[]): readonly number[] => (ratio === undefined ? [] : [ratio, ...factors, ...all])
  return {
    prompt: tokens(),
    completion: tokens(completion),
    cached: tokens(price.cached ?? 1),
    cacheWrite: tokens(price.cacheWrite ?? 1),
    cacheWrite1h: tokens(price.cacheWrite1h ?? 1),
    audioInput: tokens(audio ?? 1),
    audioOutput: tokens(...outputOf(completion, audio, price.audioCompletion)),
    imageInput: tokens(image ?? 1),
    imageOutput: tokens(...outputOf(completion, image, price.imageCompletion)),
    audioMs: dollars(price.second ?? price.audioSecond)?.concat(0.001) ?? tokens(audio ?? 1, tokensPerMs),
    characters: dollars(price.character) ?? tokens(),
    images: dollars(price.picture)?.concat(size) ?? tokens(countImageTokens, size),
    calls: dollars(price.call) ?? [],
    searches: tool(price.search),
    fileSearches: tool(price.fileSearch),
    containers: tool(price.container),
    videoMs: dollars(price.video)?.concat(size, 0.001) ?? [],
    credits: dollars(price.credit)?.concat(size, 0.001) ?? [],
  }
}

function outputOf(text: number, input: number | undefined, output: number | undefined): readonly number[] {
  return input === undefined || output === undefined ? [text] : [input, output]
}
