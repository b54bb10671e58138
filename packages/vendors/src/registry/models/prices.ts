import table from './prices.json' with { type: 'json' }

/**
 * What a model costs. Tokens are priced by factors: 1 = one unit of quota for one prompt token (USD 2 per million at 500,000 units a
 * dollar). Pieces are priced in USD each. The default of a missing field is in parentheses.
 */
export interface Price {
  /** A prompt token. Missing: the model is not priced by tokens. */
  readonly ratio?: number
  /** A completion token costs `ratio` times this (1). */
  readonly completion?: number
  /** Factor of all completion tokens of a response with reasoning, where those cost more. */
  readonly thinking?: number
  /** Factor of completion tokens of a response to audio, images or videos, where those cost more. */
  readonly mediaCompletion?: number
  /** Factor of the text of a response that has audio, where that is another price. */
  readonly spokenCompletion?: number
  /** A prompt token read from the vendor's cache, likewise (1: the full price). */
  readonly cached?: number
  /** A prompt token read from a cache with explicit cache marks, where that has another price. */
  readonly cachedExplicit?: number
  /** A prompt token written to a cache for five minutes, and for an hour (1). */
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  /** A prompt token of audio, likewise (1). */
  readonly audio?: number
  /** A completion token of audio costs `ratio` times `audio` times this; without `audio` it is a completion token. */
  readonly audioCompletion?: number
  /** A prompt token and a completion token of images, likewise (1). */
  readonly image?: number
  readonly imageCompletion?: number
  /** A second of audio (ten prompt tokens of audio). Speech costs this where its length is known, and by its characters where it is not. */
  readonly second?: number
  /** A second of audio that a chat reads, in addition to its tokens (0). */
  readonly audioSecond?: number
  /** A character turned into speech (one prompt token). */
  readonly character?: number
  /** An image (a thousand prompt tokens), which costs this times its factor in `pictures`. */
  readonly picture?: number
  /** A second of video, which costs this times its factor in `pictures`. Missing: the model is not priced by it. */
  readonly video?: number
  /** A unit of the vendor's own, money or tokens of video, for models whose vendor names what each piece of work took; it costs this times its factor in `pictures`. Missing: likewise. */
  readonly credit?: number
  /** Factors by size, `1024x1024` or `1080p`, or quality and size, `hd 1024x1024`, `silent 1080p` or `10s 768p` (1). */
  readonly pictures?: Readonly<Record<string, number>>
  /** The key in `pictures` for requests without a size. */
  readonly pictureDefault?: string
  /**
   * A call, added to everything else (0). For models that search in every call it is inferred, because no page lists it: OpenAI's price of
   * its search preview for reasoning models (`gpt-5-search-api`) and for others (`gpt-4o-search-preview`).
   */
  readonly call?: number
  /** A web search by the vendor (0). The table has the prices of each vendor's tools once, under `tools`. */
  readonly search?: number
  /** A search in the client's files by the vendor (0). */
  readonly fileSearch?: number
  /** A container in which the vendor runs code, per gigabyte of its memory (0). If a vendor charges by the run, each run counts as one. */
  readonly container?: number
  /** Prices of longer requests, for all their tokens; the last tier that a request exceeds applies. */
  readonly tiers?: readonly PriceTier[]
  /**
   * Factors on all prices at these service tiers (1 for `flex` and `batch`, 2 for `priority` and `fast`, 6 for `ultrafast`): OpenAI, "Pricing" and "Priority processing"; Anthropic, "Fast mode" (stored copies
   * read 2026-11-21) and "Batch processing" (2026-11-25). decisions/2026-11-21-prices.md lists the numbers that no page of the vendor confirms.
   */
  readonly flex?: number
  readonly priority?: number
  readonly fast?: number
  readonly ultrafast?: number
  readonly batch?: number
  /** Factor on tokens and pieces that the vendor keeps within a region because the client requested it (1). */
  readonly regional?: number
  /** Most output tokens of one response. Missing: the table of output limits applies. */
  readonly outputMax?: number
}

export interface PriceTier
  extends Pick<Price, 'ratio' | 'completion' | 'thinking' | 'cached' | 'cachedExplicit' | 'cacheWrite' | 'cacheWrite1h'> {
  /** It applies above this many prompt tokens, and above this many completion tokens. */
  readonly above?: number
  readonly aboveOutput?: number
}

/** What a million tokens of each class cost in yuan, as vendors in China list them. */
interface YuanTokens {
  readonly input?: number
  readonly output?: number
  /** Output of a response with reasoning. */
  readonly thinking?: number
  readonly cached?: number
  readonly cacheWrite?: number
  readonly cacheWrite1h?: number
  /** Images, and videos, that are read. */
  readonly image?: number
  /** Audio input, and audio output. */
  readonly audio?: number
  readonly audioOutput?: number
  /** Text of a response to audio, images or videos, and text of a response that has audio. */
  readonly mediaOutput?: number
  readonly spokenOutput?: number
}

/** A price in yuan: tokens by the million, all other units each, to be compared with the vendor's page number by number. */
interface YuanPrice extends YuanTokens, Pick<Price, 'second' | 'character' | 'picture' | 'video' | 'credit' | 'call' | 'search'> {
  readonly tiers?: ReadonlyArray<YuanTokens & Pick<PriceTier, 'above' | 'aboveOutput'>>
}

interface PriceFields extends Price {
  /** Replaces all fields that are money. The factors of a row (`pictures`, `flex`) stay beside it. */
  readonly yuan?: YuanPrice
}

/** A row of the table: where its numbers come from, and which vendor's tools it uses, as keys of the table. */
export interface PriceRow extends PriceFields {
  readonly source: readonly string[]
  readonly tools?: string
  /** Day (`2026-12-01`) -> the fields that change at its beginning in UTC. Later days keep what earlier ones changed. */
  readonly from?: Readonly<Record<string, PriceFields>>
}

/** What a price in force depends on. */
export interface PriceTerms {
  /** Converts prices in yuan. */
  readonly yuanPerDollar: number
  readonly nowMs: number
}

const rows: ReadonlyMap<string, PriceRow> = new Map(Object.entries<PriceRow>(table.models))
const toolPrices: ReadonlyMap<string | undefined, PriceRow> = new Map(Object.entries<PriceRow>(table.tools))

/** The models that have a built-in price. */
export const pricedModels: readonly string[] = [...rows.keys()]

/** The built-in price of a model; `null` = there is none. Prices of the administrator take precedence. */
export function defaultPrice(model: string, terms: PriceTerms): Price | null {
  const row = rows.get(model)
  if (row === undefined) return null
  const tools = toolPrices.get(row.tools)
  return { ...(tools && priceOfRow(tools, terms)), ...priceOfRow(row, terms) }
}

/** Of the vendor's tools where a price by tokens has none: what OpenAI takes. A tool must not be free by oversight. */
export const usualToolPrices: Pick<Price, 'search' | 'fileSearch' | 'container'> = priceOfRow(table.tools.openai, {
  yuanPerDollar: 1,
  nowMs: 0,
})

/** The price of a row, without the tools of its vendor. */
export function priceOfRow({ source: _source, tools: _key, from = {}, ...first }: PriceRow, { yuanPerDollar, nowMs }: PriceTerms): Price {
  let fields: PriceFields = first
  for (const change of changesBy(nowMs, from)) fields = { ...fields, ...change }
  const { yuan, ...price } = fields
  return yuan === undefined ? price : { ...price, ...converted(yuan, yuanPerDollar) }
}

function changesBy(nowMs: number, from: Readonly<Record<string, PriceFields>>): readonly PriceFields[] {
  const days = Object.entries(from).filter(([day]) => Date.parse(day) <= nowMs)
  return days.toSorted(([one], [other]) => one.localeCompare(other)).map(([, change]) => change)
}

/** The times at which a row of the table changes, in ascending order. */
const changeTimes: readonly number[] = [...new Set([...rows.values()].flatMap(({ from = {} }) => Object.keys(from)))]
  .map((day) => Date.parse(day))
  .toSorted((one, other) => one - other)

/** When the next built-in price changes, in milliseconds since the epoch; `Infinity` = none will. */
export function nextPriceChangeMs(nowMs: number): number {
  return changeTimes.find((time) => time > nowMs) ?? Number.POSITIVE_INFINITY
}

function converted(
  { second, character, picture: image, video, credit, call, search, tiers, ...tokens }: YuanPrice,
  yuanPerDollar: number,
): Price {
  const dollars = (yuan: number | undefined): number | undefined => (yuan === undefined ? undefined : rounded(yuan / yuanPerDollar))
  const pieces = Object.entries({ second, character, picture: image, video, credit, call, search }).map(
    ([name, yuan]) => [name, dollars(yuan)] as const,
  )
  const steps = tiers?.map(({ above, aboveOutput, ...step }) => ({
    ...omitUndefined({ above, aboveOutput }),
    ...factorsOf(step, yuanPerDollar),
  }))
  return { ...factorsOf(tokens, yuanPerDollar), ...omitUndefined(Object.fromEntries(pieces)), ...(steps && { tiers: steps }) }
}

function factorsOf({ input, ...others }: YuanTokens, yuanPerDollar: number): Price {
  if (input === undefined) return {}
  const factor = (yuan: number | undefined): number | undefined => (yuan === undefined ? undefined : rounded(yuan / input))
  return omitUndefined({
    ratio: rounded(input / yuanPerDollar / dollarsPerRatio),
    completion: factor(others.output),
    thinking: factor(others.thinking),
    cached: factor(others.cached),
    cacheWrite: factor(others.cacheWrite),
    cacheWrite1h: factor(others.cacheWrite1h),
    image: factor(others.image),
    audio: factor(others.audio),
    audioCompletion: others.audioOutput === undefined ? undefined : rounded(others.audioOutput / (others.audio ?? input)),
    mediaCompletion: factor(others.mediaOutput),
    spokenCompletion: factor(others.spokenOutput),
  })
}

/** Dollars for a million tokens of a model with ratio 1. */
const dollarsPerRatio = 2

/**
 * Eight digits are the price in force: the settings show this number, and charges are exact products of it. More digits would take most
 * requests beyond 2^53, where a charge is computed with big integers.
 */
function rounded(value: number): number {
  return Number(value.toPrecision(8))
}

function omitUndefined(fields: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
