import table from './prices.json' with { type: 'json' }

/**
 * What a model costs. Tokens are priced by factors: 1 = one unit of quota for one prompt token (USD 2 per million at 500,000 units a
 * dollar). Pieces are priced in USD each. What is missing costs as its comment says.
 */
export interface Price {
  /** A prompt token. Missing: the model is not paid by tokens. */
  readonly ratio?: number
  /** A completion token costs `ratio` times this (1). */
  readonly completion?: number
  /** A prompt token read from the vendor's cache, likewise (1: the full price). */
  readonly cached?: number
  /** A prompt token written to a cache for five minutes, and for an hour (1). */
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  /** A prompt token of sound, likewise (1). */
  readonly audio?: number
  /** A completion token of sound costs `ratio` times `audio` times this; without `audio` it is a completion token. */
  readonly audioCompletion?: number
  /** The same two for pictures. */
  readonly image?: number
  readonly imageCompletion?: number
  /** A second of sound (ten prompt tokens of sound). */
  readonly second?: number
  /** A spoken character (one prompt token). */
  readonly character?: number
  /** A picture (a thousand prompt tokens), which costs this times its factor in `pictures`. */
  readonly picture?: number
  /** By size, `1024x1024`, or quality and size, `hd 1024x1024` (1). */
  readonly pictures?: Readonly<Record<string, number>>
  /** Which of them is drawn where the request does not say. */
  readonly pictureDefault?: string
  /**
   * A call, beside all else (0). Of models that search in every call this is inferred, as no page names them: OpenAI's price of the preview
   * of its search, with models that reason (`gpt-5-search-api`) and that do not (`gpt-4o-search-preview`).
   */
  readonly call?: number
  /** A search of the web by the vendor (0). What a vendor asks for its tools stands once in the table, under `tools`. */
  readonly search?: number
  /** A search in the client's files by the vendor (0). */
  readonly fileSearch?: number
  /** A container in which the vendor runs code, for each gigabyte of its memory (0). Vendors that ask by the run count each run as one. */
  readonly container?: number
  /** Prices that hold for the whole of a longer request; the last step that it has passed counts. */
  readonly tiers?: readonly PriceTier[]
  /**
   * Everything costs so many times as much at these service tiers (1): OpenAI, "Pricing" and "Priority processing"; Anthropic, "Fast mode"
   * (stored copies read 2026-11-21). Which numbers no page of the vendor confirms, decisions/2026-11-21-prices.md says.
   */
  readonly flex?: number
  readonly priority?: number
  readonly fast?: number
  /** Most output tokens of one answer. Missing: what the table of output limits says. */
  readonly outputMax?: number
}

export interface PriceTier extends Pick<Price, 'ratio' | 'completion' | 'cached' | 'cacheWrite' | 'cacheWrite1h'> {
  /** It holds for more prompt tokens than this, and more completion tokens than that. */
  readonly above?: number
  readonly aboveOutput?: number
}

/** A row of the table: where its numbers come from, and which vendor's tools it uses, as keys of the table. */
export interface PriceRow extends Price {
  readonly source: readonly string[]
  readonly tools?: string
}

const rows: ReadonlyMap<string, PriceRow> = new Map(Object.entries<PriceRow>(table.models))
const toolPrices: ReadonlyMap<string | undefined, PriceRow> = new Map(Object.entries<PriceRow>(table.tools))

/** The models that have a built-in price. */
export const pricedModels: readonly string[] = [...rows.keys()]

/** The built-in price of a model; `null` = there is none. The administrator's own come before it. */
export function defaultPrice(model: string): Price | null {
  const row = rows.get(model)
  if (row === undefined) return null
  const { source: _ofTools, ...tools } = toolPrices.get(row.tools) ?? { source: [] }
  const { source: _ofModel, tools: _key, ...price } = row
  return { ...tools, ...price }
}
