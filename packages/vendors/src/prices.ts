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
  /**
   * A search of the web (0). A cent at OpenAI and Anthropic ("Pricing", and the announcement of the search on Anthropic's API, stored copies
   * read 2026-11-21). OpenAI's older tool, `web_search_preview`, costs 2.5 cents with models that do not reason; we cannot tell which it was.
   */
  readonly search?: number
  /** Prices that hold for the whole of a longer request; the last step that it has passed counts. */
  readonly tiers?: readonly PriceTier[]
  /**
   * Everything costs so many times as much at these service tiers (1): OpenAI, "Pricing" and "Priority processing"; Anthropic, "Fast mode"
   * (stored copies read 2026-11-21). Which numbers no page of the vendor confirms, decisions/2026-11-21-prices.md says.
   */
  readonly flex?: number
  readonly priority?: number
  readonly fast?: number
}

export interface PriceTier extends Pick<Price, 'ratio' | 'completion' | 'cached' | 'cacheWrite' | 'cacheWrite1h'> {
  /** It holds for more prompt tokens than this, and more completion tokens than that. */
  readonly above?: number
  readonly aboveOutput?: number
}

const prices: ReadonlyMap<string, Price> = new Map(Object.entries<Price>(table.models))

/** The built-in price of a model; `null` = there is none. The administrator's own come before it. */
export function defaultPrice(model: string): Price | null {
  return prices.get(model) ?? null
}
