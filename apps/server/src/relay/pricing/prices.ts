import { priceFieldOptions, type Settings } from '@sluice/contract'
import { defaultPrice, nextPriceChangeMs, type Price, type PriceTerms, usualToolPrices } from '@sluice/vendors/registry/models/prices'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { PairCache } from '../../lib/pair-cache.ts'
import type { Channel } from '../model/channel.ts'
import { costPrice } from './cost-price.ts'
import { hasPrice, type ResolvedPrice, type ResolvedToolPrice, resolvePrice } from './resolve-price.ts'

export interface Prices {
  /** Whether the model has a price. */
  has(model: string): boolean
  /** @throws AppError model_price_not_set */
  resolve(model: string, group: string): ResolvedPrice
  /** What the vendor of a channel charges for a model; `null`: that is not known. */
  vendorPrice(channel: Channel, model: string): ResolvedPrice | null
  /** The vendors' list prices of these models; those without one are left out. */
  listPrices(models: readonly string[]): Record<string, Price>
  changed(): void
}

/** Size of the cache; resolved prices beyond it are computed again. */
const resolvedMax = 10_000

export function createPrices(settings: () => Settings, clock: Pick<Clock, 'nowMs'>): Prices {
  /** By group, then by model. */
  const resolved = new PairCache<(typeFactor: number) => ResolvedPrice>(resolvedMax)
  /** By channel and model. A changed channel is another object. */
  let costs = new WeakMap<Channel, Map<string, ResolvedPrice | null>>()
  let builtInUntilMs = nextPriceChangeMs(clock.nowMs())

  function changed(): void {
    resolved.clear()
    costs = new WeakMap()
  }

  /** Forgets what was resolved when the next day of the built-in table has come. */
  function keepUpWithDays(): void {
    const nowMs = clock.nowMs()
    if (nowMs < builtInUntilMs) return
    changed()
    builtInUntilMs = nextPriceChangeMs(nowMs)
  }

  /** The price of a model for a group, by the factor of the channel's type. */
  function pricesOf(model: string, group: string): (typeFactor: number) => ResolvedPrice {
    keepUpWithDays()
    const known = resolved.get(group, model)
    if (known !== undefined) return known
    const prices = byTypeFactor(model, { basis: basisNow(), group, ofTool: firstPriced })
    resolved.set(group, model, prices)
    return prices
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
    vendorPrice(channel, model) {
      keepUpWithDays()
      const known = costs.get(channel)
      const price = known?.get(model)
      if (price !== undefined) return price
      const cost = costPrice(channel, model, termsOf(basisNow()))
      if (known === undefined || known.size >= resolvedMax) costs.set(channel, new Map([[model, cost]]))
      else known.set(model, cost)
      return cost
    },
    listPrices(models) {
      const terms = termsOf(basisNow())
      const listed = models.map((model) => [model, defaultPrice(model, terms)] as const)
      return Object.fromEntries(listed.flatMap(([model, price]) => (price === null ? [] : [[model, price]])))
    },
    changed,
  }
}

/** What the prices in force depend on. */
interface Basis {
  readonly settings: Settings
  readonly nowMs: number
}

/** What the built-in table depends on. */
const termsOf = ({ settings, nowMs }: Basis): PriceTerms => ({ yuanPerDollar: settings.YuanPerDollar, nowMs })

interface Pricing {
  readonly basis: Basis
  readonly group: string
  readonly ofTool: (models: readonly string[], group: string, typeFactor: number) => ResolvedToolPrice | null
}

/** @throws AppError model_price_not_set */
function byTypeFactor(model: string, { basis, group, ofTool }: Pricing): (typeFactor: number) => ResolvedPrice {
  const { GroupRatio, RetailRatio, ChannelTypeRatio } = basis.settings
  const own = priceOf(model, basis)
  // Models of text, and models that draw by the calls of text, may have tools of the vendor, however cheap they are.
  const price = own.ratio === undefined && own.picture === undefined ? own : { ...usualToolPrices, ...own }
  const factors = { group: GroupRatio.get(group) ?? 1, retail: RetailRatio.get(model) ?? 1 }
  const factorOf = (type: number): number => ChannelTypeRatio.get(String(type)) ?? 1
  const isOne = ChannelTypeRatio.size === 0
  const byFactor = new Map<number, ResolvedPrice>()

  function at(typeFactor: number): ResolvedPrice {
    const known = byFactor.get(typeFactor)
    if (known !== undefined) return known
    const resolved: ResolvedPrice = {
      ...resolvePrice(model, price, { ...factors, vendor: typeFactor }),
      ofTool: (models) => ofTool(models, group, typeFactor),
      ofType: (type) => (isOne ? resolved : at(factorOf(type))),
      dearestOf: (types) => (isOne || types.length === 0 ? resolved : at(Math.max(...types.map(factorOf)))),
    }
    byFactor.set(typeFactor, resolved)
    return resolved
  }

  return at
}

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
  const whole = wholePrice(model, basis)
  if (whole !== null) return whole
  const like = settings.PriceRules.get(model)?.like
  const other = like === undefined ? {} : (wholePrice(like, basis) ?? numbersOf(like, basis))
  const price = { ...other, ...numbersOf(model, basis) }
  return hasPrice(price) ? price : null
}

/** A price that nothing is added to: a price per call, or a free model, whose vendor's tools are paid all the same. */
function wholePrice(model: string, basis: Basis): Price | null {
  const { ModelPrice, PriceRules } = basis.settings
  const fixed = ModelPrice.get(model)
  if (fixed !== undefined && fixed > 0) return { call: fixed }
  const rule = PriceRules.get(model)
  return fixed === 0 || rule?.free === true
    ? { ratio: 0, ...toolPricesIn(defaultPrice(model, termsOf(basis))), ...toolPricesIn(rule) }
    : null
}

const toolFields = ['search', 'fileSearch', 'container'] as const

function toolPricesIn(price: Price | null | undefined): Price {
  return Object.fromEntries(toolFields.flatMap((field) => (price?.[field] === undefined ? [] : [[field, price[field]]])))
}

/** Prices set for exactly this model name. */
function numbersOf(model: string, basis: Basis): Price {
  const { settings } = basis
  const { free: _free, like: _like, ...rule } = settings.PriceRules.get(model) ?? {}
  return { ...knownPrice(model, basis), ...rule, ...fieldsOf(model, settings) }
}

/** The ratio of an image model is its price per thousand prompt tokens of an image, as in one-api and its forks. */
function knownPrice(model: string, basis: Basis): Price {
  const { ModelRatio } = basis.settings
  const { picture: image, ...known } = defaultPrice(model, termsOf(basis)) ?? {}
  return image === undefined || (ModelRatio.has(model) && known.ratio === undefined) ? known : { ...known, picture: image }
}

function fieldsOf(model: string, settings: Settings): Price {
  const fields = Object.entries(priceFieldOptions).flatMap(([field, option]) => {
    const value = settings[option].get(model)
    return value === undefined ? [] : [[field, value] as const]
  })
  return Object.fromEntries(fields)
}
