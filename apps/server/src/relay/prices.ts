import type { Settings } from '@sluice/contract'
import { defaultPrice } from '@sluice/vendors/prices'
import { type Rates, ratesOf } from '../ledger/price.ts'
import { AppError } from '../lib/app-error.ts'

/** The price of one model for one group. */
export interface Quote {
  readonly rates: Rates
  /** The factors in words, for the log row. */
  readonly factors: { readonly model: number; readonly completion: number; readonly group: number }
}

export interface Prices {
  /** @throws AppError model_price_not_set */
  quote(model: string, group: string): Quote
  changed(): void
}

/** Quotes kept; beyond it they are worked out again. */
const quotesMax = 10_000

/** The administrator's ratios over the built-in ones. A model without either costs what `UnpricedModelRatio` says, or is refused. */
export function createPrices(settings: () => Settings): Prices {
  const quotes = new Map<string, Quote>()

  function work(model: string, group: string): Quote {
    const { ModelRatio, CompletionRatio, GroupRatio, UnpricedModelRatio } = settings()
    const known = defaultPrice(model)
    const ratio = ModelRatio.get(model) ?? known?.ratio ?? UnpricedModelRatio
    if (ratio === '') throw new AppError('model_price_not_set', { params: { model } })
    const factors = { model: ratio, completion: CompletionRatio.get(model) ?? known?.completion ?? 1, group: GroupRatio.get(group) ?? 1 }
    const { cached, cacheWrite, cacheWrite1h } = known ?? { cached: 1, cacheWrite: 1, cacheWrite1h: 1 }
    return { rates: ratesOf({ ...factors, cached, cacheWrite, cacheWrite1h }), factors }
  }

  return {
    quote(model, group) {
      const key = `${group}\n${model}`
      const known = quotes.get(key)
      if (known !== undefined) return known
      const quote = work(model, group)
      if (quotes.size >= quotesMax) quotes.clear()
      quotes.set(key, quote)
      return quote
    },
    changed: () => quotes.clear(),
  }
}
