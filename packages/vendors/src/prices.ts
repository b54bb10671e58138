import table from './prices.json' with { type: 'json' }

/** What a model costs, as factors. 1 = one unit of quota for one prompt token (USD 2 per million at 500,000 units a dollar). */
export interface Price {
  readonly ratio: number
  /** A completion token costs `ratio` times this. */
  readonly completion: number
  /** A prompt token read from the vendor's cache, likewise. Full price where no cache price is known. */
  readonly cached: number
  /** A prompt token written to a cache for five minutes, and for an hour. */
  readonly cacheWrite: number
  readonly cacheWrite1h: number
}

const prices: ReadonlyMap<string, Partial<Price> & Pick<Price, 'ratio' | 'completion'>> = new Map(Object.entries(table.models))

/** The built-in price of a model; `null` = there is none. The administrator's own ratios come before it. */
export function defaultPrice(model: string): Price | null {
  const price = prices.get(model)
  return price === undefined ? null : { cached: 1, cacheWrite: 1, cacheWrite1h: 1, ...price }
}
