import { messageText, priceFieldOptions, type Settings } from '@sluice/contract'
import type { ServiceTier } from '@sluice/vendors/dialect'
import { type OutputLimits, outputLimitsOf } from '@sluice/vendors/output-limits'
import { defaultPrice, nextPriceChangeMs, type Price, type PriceTier } from '@sluice/vendors/prices'
import { type Products, type Rates, ratesOf } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'

/** Parameters of a request that change its whole price. */
export interface PriceBasis {
  readonly promptTokens: number
  readonly completionTokens: number
  /** The part of them that is thoughts (0). */
  readonly reasoningTokens?: number
  readonly serviceTier: ServiceTier
  readonly isRegional?: boolean | undefined
  readonly isCacheExplicit?: boolean
  /** As the request gives them; `undefined`: not given. */
  readonly pictureSize?: string | undefined
  readonly pictureQuality?: string | undefined
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
  /** The price of an answer from a channel of this type. */
  readonly ofType: (type: number) => ResolvedPrice
  /** The highest price that channels of these types have. */
  readonly dearestOf: (types: readonly number[]) => ResolvedPrice
}

export interface ResolvedToolPrice {
  readonly model: string
  readonly price: ResolvedPrice
}

export interface Prices {
  /** Whether the model has a price. */
  has(model: string): boolean
  /** @throws AppError model_price_not_set */
  resolve(model: string, group: string): ResolvedPrice
  changed(): void
}

/** Size of the cache; resolved prices beyond it are computed again. */
const resolvedMax = 10_000

export function createPrices(settings: () => Settings, clock: Pick<Clock, 'nowMs'>): Prices {
  const resolved = new Map<string, (typeFactor: number) => ResolvedPrice>()
  let builtInUntilMs = nextPriceChangeMs(clock.nowMs())

  /** The price of a model for a group, by the factor of the channel's type. */
  function pricesOf(model: string, group: string): (typeFactor: number) => ResolvedPrice {
    const nowMs = clock.nowMs()
    if (nowMs >= builtInUntilMs) {
      resolved.clear()
      builtInUntilMs = nextPriceChangeMs(nowMs)
    }
    const key = `${group}\n${model}`
    const known = resolved.get(key)
    if (known !== undefined) return known
    const made = byTypeFactor(model, { basis: basisNow(), group, ofTool: firstPriced })
    if (resolved.size >= resolvedMax) resolved.clear()
    resolved.set(key, made)
    return made
  }

  const basisNow = (): Basis => ({ settings: settings(), nowMs: clock.nowMs() })

  function firstPriced(models: readonly string[], group: string, typeFactor: number): ResolvedToolPrice | null {
    for (const model of models) {
      if (knownPriceOf(model, basisNow()) !== null) return { model, price: pricesOf(model, group)(typeFactor) }
    }
    return null
  }

  return {
    resolve: (model, group) => pricesOf(model, group)(1),
    has: (model) => knownPriceOf(model, basisNow()) !== null,
    changed: () => resolved.clear(),
  }
}

/** What the prices in force depend on. */
interface Basis {
  readonly settings: Settings
  readonly nowMs: number
}

interface Pricing {
  readonly basis: Basis
  readonly group: string
  readonly ofTool: (models: readonly string[], group: string, typeFactor: number) => ResolvedToolPrice | null
}

/** @throws AppError model_price_not_set */
function byTypeFactor(model: string, { basis, group, ofTool }: Pricing): (typeFactor: number) => ResolvedPrice {
  const { GroupRatio, RetailRatio, ChannelTypeRatio } = basis.settings
  const price = priceOf(model, basis)
  const factors = { group: GroupRatio.get(group) ?? 1, retail: RetailRatio.get(model) ?? 1 }
  const factorOf = (type: number): number => ChannelTypeRatio.get(String(type)) ?? 1
  const isOne = ChannelTypeRatio.size === 0
  const made = new Map<number, ResolvedPrice>()

  function at(typeFactor: number): ResolvedPrice {
    const known = made.get(typeFactor)
    if (known !== undefined) return known
    const resolved: ResolvedPrice = {
      ...resolvePrice(model, price, { ...factors, vendor: typeFactor }),
      ofTool: (models) => ofTool(models, group, typeFactor),
      ofType: (type) => (isOne ? resolved : at(factorOf(type))),
      dearestOf: (types) => (isOne || types.length === 0 ? resolved : at(Math.max(...types.map(factorOf)))),
    }
    made.set(typeFactor, resolved)
    return resolved
  }

  return at
}

/** A model with any of these has a price. */
const bases = ['ratio', 'second', 'character', 'picture', 'call', 'video', 'credit'] as const

/**
 * The administrator's prices override the built-in ones. A model without either costs `UnpricedModelRatio`, or is refused.
 * @throws AppError model_price_not_set
 */
function priceOf(model: string, basis: Basis): Price {
  const price = knownPriceOf(model, basis)
  if (price !== null) return price
  const { UnpricedModelRatio } = basis.settings
  if (UnpricedModelRatio === '') throw new AppError('model_price_not_set', { params: { model } })
  return { ...numbersOf(model, basis), ratio: UnpricedModelRatio }
}

/** `null`: no price is set. */
function knownPriceOf(model: string, basis: Basis): Price | null {
  const { settings } = basis
  const whole = wholePrice(model, settings)
  if (whole !== null) return whole
  const like = settings.PriceRules.get(model)?.like
  const other = like === undefined ? {} : (wholePrice(like, settings) ?? numbersOf(like, basis))
  const price = { ...other, ...numbersOf(model, basis) }
  return bases.some((base) => price[base] !== undefined) ? price : null
}

/** A price that nothing is added to: a free model, or a price per call. */
function wholePrice(model: string, { ModelPrice, PriceRules }: Settings): Price | null {
  const fixed = ModelPrice.get(model)
  if (fixed !== undefined) return { call: fixed }
  return PriceRules.get(model)?.free === true ? { ratio: 0 } : null
}

/** Prices set for exactly this model name. */
function numbersOf(model: string, basis: Basis): Price {
  const { settings } = basis
  const { free: _free, like: _like, ...rule } = settings.PriceRules.get(model) ?? {}
  return { ...knownPrice(model, basis), ...rule, ...fieldsOf(model, settings) }
}

/** The ratio of an image model is its price per thousand prompt tokens of a picture, as in one-api and its forks. */
function knownPrice(model: string, { settings: { ModelRatio, YuanPerDollar }, nowMs }: Basis): Price {
  const { picture, ...known } = defaultPrice(model, { yuanPerDollar: YuanPerDollar, nowMs }) ?? {}
  return picture === undefined || (ModelRatio.has(model) && known.ratio === undefined) ? known : { ...known, picture }
}

function fieldsOf(model: string, settings: Settings): Price {
  const fields = Object.entries(priceFieldOptions).flatMap(([field, option]) => {
    const value = settings[option].get(model)
    return value === undefined ? [] : [[field, value] as const]
  })
  return Object.fromEntries(fields)
}

/** Quota units per dollar, as a ratio of 1 is two dollars per million tokens. The console uses `QuotaPerUnit`. */
const quotaPerDollar = 500_000
/** Prompt tokens of a picture without a price of its own (as in one-api and its forks). */
const pictureTokens = 1_000
/** Prompt tokens per millisecond of audio (OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21: one per 100 ms). */
const tokensPerMs = 0.01

type WithoutVariants = Omit<ResolvedPrice, 'ofTool' | 'ofType' | 'dearestOf'>

function resolvePrice(model: string, price: Price, factors: Factors): WithoutVariants {
  const rates = new Map<string, Rates>()
  function ratesFor(basis: PriceBasis): Rates {
    const tier = tierOf(price.tiers ?? [], basis)
    const speed = speedFactor(price, basis.serviceTier)
    const region = basis.isRegional === true ? (price.regional ?? 1) : 1
    const size = sizeFactor(price, basis)
    const hasThoughts = (basis.reasoningTokens ?? 0) > 0
    const isExplicit = basis.isCacheExplicit === true
    const key = `${price.tiers?.indexOf(tier)} ${hasThoughts} ${isExplicit} ${speed} ${region} ${size}`
    const known = rates.get(key)
    if (known !== undefined) return known
    const made = ratesOf(productsOf(priceFor({ ...price, ...tier }, hasThoughts, isExplicit), { ...factors, speed, region, size }))
    rates.set(key, made)
    return made
  }
  const plain = ratesFor({ promptTokens: 0, completionTokens: 0, serviceTier: 'standard' })
  const choices = ['tiers', 'pictures', 'thinking', 'cachedExplicit'] as const
  const isOne = choices.every((field) => price[field] === undefined)
  const { ratio = 0, completion = 1 } = price
  const ratios = messageText('log_consume', { model, ratio, group: factors.group, factors: retailText(factors), completion })
  return {
    price,
    limits: outputLimitsOf(model),
    ratesFor: isOne ? (basis) => (basis.serviceTier === 'standard' && basis.isRegional !== true ? plain : ratesFor(basis)) : ratesFor,
    ratios,
  }
}

/** The retail factors for the log row, if any is not 1. */
function retailText({ vendor, retail }: Factors): string {
  const ofType = vendor === 1 ? '' : messageText('log_type_factor', { factor: vendor })
  return ofType + (retail === 1 ? '' : messageText('log_retail_factor', { factor: retail }))
}

/** The price of an answer with or without thoughts, from a cache of its marks or not. */
function priceFor(price: Price, hasThoughts: boolean, isExplicit: boolean): Price {
  const { thinking, cachedExplicit } = price
  return {
    ...price,
    ...(hasThoughts && thinking !== undefined && { completion: thinking }),
    ...(isExplicit && cachedExplicit !== undefined && { cached: cachedExplicit }),
  }
}

const noTier: PriceTier = {}

function tierOf(tiers: readonly PriceTier[], { promptTokens, completionTokens }: PriceBasis): PriceTier {
  return tiers.findLast(({ above = -1, aboveOutput = -1 }) => promptTokens > above && completionTokens > aboveOutput) ?? noTier
}

/**
 * The factor of a tier that a price does not have: a vendor that says that it served a request in such a tier charges more for it, also where
 * no page has the number (AWS).
 */
const usualFactors: Readonly<Record<ServiceTier, number>> = { standard: 1, flex: 1, priority: 2, fast: 2, ultrafast: 6 }

function speedFactor(price: Price, tier: ServiceTier): number {
  return (tier === 'standard' ? undefined : price[tier]) ?? usualFactors[tier]
}

/** For a size or quality without a price, the highest price applies. */
function sizeFactor({ pictures, pictureDefault = '' }: Price, { pictureSize, pictureQuality }: PriceBasis): number {
  if (pictures === undefined) return 1
  const [size = '', quality = 'standard'] = pictureDefault.split(' ').toReversed()
  const asked = { size: named(pictureSize) ?? size, quality: named(pictureQuality) ?? quality }
  const bySize = asked.quality === 'standard' ? pictures[asked.size] : undefined
  return pictures[`${asked.quality} ${asked.size}`] ?? bySize ?? Math.max(...Object.values(pictures))
}

function named(word: string | undefined): string | undefined {
  return word === '' || word === 'auto' ? undefined : word
}

/** Factors of every price of a request: of the group, of the type of the channel that answers, and of the model. */
interface Factors {
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
    audioMs: dollars(price.second)?.concat(0.001) ?? tokens(audio ?? 1, tokensPerMs),
    characters: dollars(price.character) ?? tokens(),
    images: dollars(price.picture)?.concat(size) ?? tokens(pictureTokens, size),
    calls: dollars(price.call) ?? [],
    searches: tool(price.search),
    fileSearches: tool(price.fileSearch),
    containers: tool(price.container),
    videoMs: dollars(price.video)?.concat(size, 0.001) ?? [],
    credits: dollars(price.credit)?.concat(0.001) ?? [],
  }
}

function outputOf(text: number, input: number | undefined, output: number | undefined): readonly number[] {
  return input === undefined || output === undefined ? [text] : [input, output]
}
