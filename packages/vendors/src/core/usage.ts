/**
 * Usage of one response. All counts are whole numbers >= 0. The parts of `promptTokens` (cached, written, audio, image) do not overlap,
 * and neither do those of `completionTokens` (audio, image); the remainder is plain text.
 */
export interface Usage {
  /** All input, including reads from and writes to a prompt cache. */
  readonly promptTokens: number
  /** All output, including reasoning. */
  readonly completionTokens: number
  /** The part of `promptTokens` that was read from the vendor's cache: text, audio and images. */
  readonly cachedTokens: number
  /** The part of `promptTokens` that was written to a cache for five minutes. */
  readonly cacheWriteTokens: number
  /** The part of `promptTokens` that was written to a cache for an hour. */
  readonly cacheWrite1hTokens: number
  /** The part of `completionTokens` that was reasoning. For display; priced as output. */
  readonly reasoningTokens: number
  /** The parts of `promptTokens` that were audio and images, and not read from a cache. */
  readonly audioInputTokens: number
  readonly imageInputTokens: number
  /** The parts of `completionTokens` that were audio and images. */
  readonly audioOutputTokens: number
  readonly imageOutputTokens: number
  /** Length of the input or output audio, for models that are priced by it. */
  readonly audioMs: number
  /** Characters that were turned into speech. */
  readonly characters: number
  /** Generated images. Their size and quality are in the request. */
  readonly images: number
  /** Calls, for models that are priced by the call. */
  readonly calls: number
  /** Web searches, and searches in the client's files, that the vendor ran for the response. */
  readonly searches: number
  readonly fileSearches: number
  /** Gigabytes of the containers in which the vendor ran code for the response, as far as the response shows their size; one if not. */
  readonly containers: number
  /** How many they were; 0: their memory has no price. */
  readonly containerCount: number
  /** Usage of other models for the response: images of a tool, transcribed speech. */
  readonly delegated: readonly Delegated[]
  /** The service tier that the vendor reports. */
  readonly serviceTier: ServiceTier
  /** The vendor kept the work within the requested region, which has a price of its own. */
  readonly isRegional: boolean
  /** `cachedTokens` are from a cache that the request declared with explicit cache marks, not from one that the vendor keeps on its own. */
  readonly isCacheExplicit: boolean
  /** The vendor refused to respond and wrote nothing; whether it bills that is in its record (`Vendor.freeRefusals`). */
  readonly isRefused: boolean
  /** The model that served the request, where it may name several; `null` = the response does not say. A vendor's text. */
  readonly responseModel: string | null
  /** Prompt and output of the longest call of the model, where the vendor reports calls separately; `null` = it does not. */
  readonly largestCall: number | null
  /** What the vendor says that it charged, in billionths of a dollar; `null` = it does not say. */
  readonly costNanos: number | null
  /** The vendor sent invalid counts. They are left out here; the gateway counts itself. */
  readonly isSuspect: boolean
}

/** Work that one model delegated to another; priced as the other model. */
export interface Delegated {
  /** The model that did it, and one whose price is used if that has none. */
  readonly models: readonly [string, string]
  /** Set when the vendor reports no tokens: an image is then priced by size and quality. */
  readonly size?: string
  readonly quality?: string
  /** Its usage in tokens or in counts, such as images. */
  readonly usage: Usage
}

/** Service tiers with prices of their own. Every other tier costs the same as `standard`. */
export type ServiceTier = 'standard' | 'flex' | 'priority' | 'fast' | 'ultrafast' | 'batch'
