/** What one model costs, as decimal factors. 1 = one unit of quota for one prompt token. */
export interface PriceFactors {
  readonly model: number
  readonly completion: number
  readonly cached: number
  readonly cacheWrite: number
  readonly cacheWrite1h: number
  readonly group: number
}

/** Counts that are paid for. The cached and written parts are within `promptTokens`. */
export interface PricedUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly cacheWrite1hTokens: number
}

/** Price of one token of each class, as whole numbers over `scale`. */
export interface Rates {
  readonly prompt: bigint
  readonly completion: bigint
  readonly cached: bigint
  readonly cacheWrite: bigint
  readonly cacheWrite1h: bigint
}

/** Three factors with nine decimals each. */
const scale = 10n ** 27n
const one = 10n ** 9n

/** A factor as billionths, from its decimal text: no binary fraction ever enters a price. */
function billionths(factor: number): bigint {
  return BigInt(factor.toFixed(9).replace('.', ''))
}

export function ratesOf(factors: PriceFactors): Rates {
  const base = billionths(factors.model) * billionths(factors.group)
  return {
    prompt: base * one,
    completion: base * billionths(factors.completion),
    cached: base * billionths(factors.cached),
    cacheWrite: base * billionths(factors.cacheWrite),
    cacheWrite1h: base * billionths(factors.cacheWrite1h),
  }
}

/** Quota for a usage: the exact rational, rounded up once. 0 only for free models and for no tokens at all. */
export function quotaFor(usage: PricedUsage, rates: Rates): number {
  const plainPrompt = Math.max(0, usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens - usage.cacheWrite1hTokens)
  const total =
    BigInt(plainPrompt) * rates.prompt +
    BigInt(usage.completionTokens) * rates.completion +
    BigInt(usage.cachedTokens) * rates.cached +
    BigInt(usage.cacheWriteTokens) * rates.cacheWrite +
    BigInt(usage.cacheWrite1hTokens) * rates.cacheWrite1h
  const quota = (total + scale - 1n) / scale
  return quota > maxQuota ? Number.MAX_SAFE_INTEGER : Number(quota)
}

const maxQuota = BigInt(Number.MAX_SAFE_INTEGER)
