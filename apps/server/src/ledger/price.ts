/**
 * All units that have a price: classes of tokens, milliseconds of audio, spoken characters, images, calls, usage of a vendor's tools,
 * milliseconds of video, and thousandths of a vendor's credits.
 * Nothing is counted in two units.
 */
export const units = [
  'prompt',
  'completion',
  'cached',
  'cacheWrite',
  'cacheWrite1h',
  'audioInput',
  'audioOutput',
  'imageInput',
  'imageOutput',
  'audioMs',
  'characters',
  'images',
  'calls',
  'searches',
  'fileSearches',
  'containers',
  'videoMs',
  'credits',
] as const

export type Unit = (typeof units)[number]

/** Usage of a vendor's tools, which has its price also where the model is free. */
export const toolUnits: ReadonlySet<Unit> = new Set<Unit>(['searches', 'fileSearches', 'containers'])

/** Charged counts, all integers. A missing unit is 0. */
export type Counts = Readonly<Partial<Record<Unit, number>>>

/** The price per unit, as a product of decimals. A missing unit is free. */
export type Products = Readonly<Partial<Record<Unit, readonly number[]>>>

/** Prices per unit as integers over `scale`, in lowest terms. */
export interface Rates {
  readonly of: Readonly<Record<Unit, bigint>>
  readonly scale: bigint
  /** The price per unit, for display. */
  readonly each: Readonly<Record<Unit, number>>
  /** The units that are not free, in order. */
  readonly paid: readonly Unit[]
  /** The first two fields as numbers, which compute much faster. `null`: they do not fit. */
  readonly plain: { readonly of: Readonly<Record<Unit, number>>; readonly scale: number } | null
}

interface Fraction {
  readonly numerator: bigint
  /** Digits after the decimal point. */
  readonly decimals: number
}

export function ratesOf(products: Products): Rates {
  const fractions = everyUnit((unit) => multiply(products[unit] ?? []))
  const decimals = Math.max(...units.map((unit) => fractions[unit].decimals))
  const whole = everyUnit((unit) => fractions[unit].numerator * 10n ** BigInt(decimals - fractions[unit].decimals))
  const common = units.reduce((divisor, unit) => commonDivisor(divisor, whole[unit]), 10n ** BigInt(decimals))
  return ratesOver(
    everyUnit((unit) => whole[unit] / common),
    10n ** BigInt(decimals) / common,
  )
}

function ratesOver(of: Record<Unit, bigint>, scale: bigint): Rates {
  const isPlain = scale <= maxQuota && units.every((unit) => of[unit] <= maxQuota)
  const each = everyUnit((unit) => Number((of[unit] * displayScale) / scale) / Number(displayScale))
  const paid = units.filter((unit) => of[unit] > 0n)
  return { of, scale, each, paid, plain: isPlain ? { of: everyUnit((unit) => Number(of[unit])), scale: Number(scale) } : null }
}

function everyUnit<Value>(make: (unit: Unit) => Value): Record<Unit, Value> {
  // Holds: `units` has every unit.
  return Object.fromEntries(units.map((unit) => [unit, make(unit)])) as Record<Unit, Value>
}

/** A free unit has no factors: here the empty product is 0. */
function multiply(factors: readonly number[]): Fraction {
  if (factors.length === 0) return { numerator: 0n, decimals: 0 }
  return factors.map(fractionOf).reduce((a, b) => ({ numerator: a.numerator * b.numerator, decimals: a.decimals + b.decimals }))
}

/** Parses the factor's decimal text, so that prices contain no binary rounding. */
function fractionOf(factor: number): Fraction {
  const [, whole = '0', part = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(factor)) ?? []
  const decimals = part.length - Number(exponent)
  const digits = BigInt(whole + part)
  return decimals >= 0 ? { numerator: digits, decimals } : { numerator: digits * 10n ** BigInt(-decimals), decimals: 0 }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b]
  while (small !== 0n) [large, small] = [small, large % small]
  return large
}

/** Rates as JSON can hold them. */
export interface StoredRates {
  readonly scale: string
  /** The units that are not free. */
  readonly of: Readonly<Record<string, string>>
}

export function storedRates({ of, scale, paid }: Rates): StoredRates {
  return { scale: String(scale), of: Object.fromEntries(paid.map((unit) => [unit, String(of[unit])])) }
}

export function ratesStored({ scale, of }: StoredRates): Rates {
  return ratesOver(
    everyUnit((unit) => BigInt(of[unit] ?? 0)),
    BigInt(scale),
  )
}

/**
 * Quota for the counts: computed exactly, rounded up once. 0 only if nothing with a price was used. Never negative: an invalid count (a
 * fraction, negative, beyond 2^53) counts as 0.
 */
export function quotaFor(counts: Counts, rates: Rates): number {
  return plainQuota(counts, rates) ?? exactQuota(counts, rates)
}

/** The quota for these counts, with the count of one unit replaced. */
export function quotaWith(counts: Counts, rates: Rates, { unit, count }: { readonly unit: Unit; readonly count: number }): number {
  const { plain } = rates
  const total = plain === null ? Number.NaN : plainTotal(counts, plain.of)
  const quota =
    plain !== null && total <= Number.MAX_SAFE_INTEGER
      ? plainQuotaOf(total - term(counts[unit], plain.of[unit]) + term(count, plain.of[unit]), plain.scale)
      : null
  return quota ?? exactQuota({ ...counts, [unit]: count }, rates)
}

/** `null`: an intermediate result is too large to be exact. */
function plainQuota(counts: Counts, { plain }: Rates): number | null {
  return plain === null ? null : plainQuotaOf(plainTotal(counts, plain.of), plain.scale)
}

/** `null`: the total is too large to be exact. */
function plainQuotaOf(total: number, scale: number): number | null {
  if (!(total <= Number.MAX_SAFE_INTEGER)) return null
  const rest = total % scale
  return (total - rest) / scale + (rest === 0 ? 0 : 1)
}

/** Unrolled, because a loop over names takes ten times as long. */
function plainTotal(counts: Counts, of: Readonly<Record<Unit, number>>): number {
  return (
    term(counts.prompt, of.prompt) +
    term(counts.completion, of.completion) +
    term(counts.cached, of.cached) +
    term(counts.cacheWrite, of.cacheWrite) +
    term(counts.cacheWrite1h, of.cacheWrite1h) +
    term(counts.audioInput, of.audioInput) +
    term(counts.audioOutput, of.audioOutput) +
    term(counts.imageInput, of.imageInput) +
    term(counts.imageOutput, of.imageOutput) +
    term(counts.audioMs, of.audioMs) +
    term(counts.characters, of.characters) +
    term(counts.images, of.images) +
    term(counts.calls, of.calls) +
    term(counts.searches, of.searches) +
    term(counts.fileSearches, of.fileSearches) +
    term(counts.containers, of.containers) +
    term(counts.videoMs, of.videoMs) +
    term(counts.credits, of.credits)
  )
}

function term(count: number | undefined, rate: number): number {
  return count === undefined || count === 0 ? 0 : countOf(count) * rate
}

function exactQuota(counts: Counts, rates: Rates): number {
  return roundedUp(totalOf(counts, rates), rates.scale)
}

function totalOf(counts: Counts, { of }: Rates): bigint {
  return units.reduce((sum, unit) => sum + BigInt(countOf(counts[unit] ?? 0)) * of[unit], 0n)
}

function roundedUp(total: bigint, scale: bigint): number {
  const quota = (total + scale - 1n) / scale
  return quota > maxQuota ? Number.MAX_SAFE_INTEGER : Number(quota)
}

/** Usage of one model with its rates. */
export interface LineItem {
  readonly counts: Counts
  readonly rates: Rates
}

/** The total quota of several line items, rounded up once. */
export function quotaForAll(charges: readonly LineItem[]): number {
  const scale = charges.reduce((product, { rates }) => product * rates.scale, 1n)
  return roundedUp(
    charges.reduce((sum, { counts, rates }) => sum + totalOf(counts, rates) * (scale / rates.scale), 0n),
    scale,
  )
}

function countOf(count: number): number {
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

const maxQuota = BigInt(Number.MAX_SAFE_INTEGER)

/** Twelve decimal places are enough for display. */
const displayScale = 10n ** 12n
