import type { Settings } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/no-usage'
import type { Hold, Ledger } from '../ledger/ledger.ts'
import { quotaFor, type Rates } from '../ledger/price.ts'
import { countsOf, type WantedPieces } from './charge.ts'
import { estimateTokens } from './count-tokens.ts'
import type { PriceBasis, Quote } from './prices.ts'

/** Output tokens that a stream reserves at a time. */
const windowTokens = 1_024
/** Output tokens reckoned with where the client names no limit. */
const defaultOutputTokens = 2_048
/** Share of what is reserved after which more is asked for. */
const extendAt = 0.75

/** What is asked for, as far as it costs something. */
export interface Order extends WantedPieces {
  readonly promptTokens: number
  /** Most output tokens of one answer; `null` = the client did not say. */
  readonly maxTokens: number | null
  readonly choices: number
  readonly isStream: boolean
}

/**
 * What a request reserves before it is sent: all that is known to be paid (prompt, pictures, sound, characters, the call), and the output
 * to come. A stream reserves a window of output and extends while it runs; an answer that comes whole must have all of it reserved, up to
 * the administrator's limit. What is paid by the piece is reserved to the unit.
 */
export function reserveFor(order: Order, quote: Quote, settings: Settings): number {
  const output = outputOf(order)
  const rates = quote.ratesFor(basisOf(order))
  const known = { ...noUsage, promptTokens: order.promptTokens, images: order.images ?? 0, characters: order.characters ?? 0 }
  const counts = countsOf({ ...known, audioMs: order.audioMs ?? 0, calls: order.calls ?? 0 }, quote.price, false)
  const fixed = quotaFor(counts, rates)
  // Pieces take the place of tokens.
  if (counts.prompt === undefined) return fixed
  const completion = outputQuota(order.isStream ? Math.min(output, windowTokens) : output, rates)
  if (fixed + completion === 0) return 0
  const whole = order.isStream ? fixed + completion : Math.min(fixed + completion, Math.max(fixed, settings.MaxReserve))
  return Math.max(whole, settings.PreConsumedQuota)
}

/** Sets aside more where a channel is allowed to write more than the client said. `false`: the balance does not have it. */
export function createCover(ledger: Ledger, hold: Hold, { order, quote, settings }: Covered): (outputTokens: number) => boolean {
  let reserved: number | null = null
  return (outputTokens) => {
    if (order.isStream || outputTokens <= outputOf(order)) return true
    reserved ??= reserveFor(order, quote, settings)
    const more = reserveFor({ ...order, maxTokens: outputTokens, choices: 1 }, quote, settings) - reserved
    if (more <= 0) return true
    if (!ledger.extend(hold, more)) return false
    reserved += more
    return true
  }
}

interface Covered {
  readonly order: Order
  readonly quote: Quote
  readonly settings: Settings
}

/** What the price of a request depends on before its answer is there. */
export function basisOf(order: Order): PriceBasis {
  const { promptTokens, serviceTier = 'standard', pictureSize, pictureQuality } = order
  return { promptTokens, completionTokens: outputOf(order), serviceTier, pictureSize, pictureQuality }
}

function outputOf({ maxTokens, choices }: Order): number {
  return Math.min((maxTokens ?? defaultOutputTokens) * choices, Number.MAX_SAFE_INTEGER)
}

function outputQuota(completion: number, rates: Rates): number {
  return quotaFor({ completion }, rates)
}

/** Watches a stream's output and extends its reservation. */
export class Budget {
  readonly #ledger: Ledger
  readonly #hold: Hold
  readonly #windowQuota: number
  #reserved = windowTokens
  #used = 0

  constructor(ledger: Ledger, hold: Hold, rates: Rates) {
    this.#ledger = ledger
    this.#hold = hold
    this.#windowQuota = outputQuota(windowTokens, rates)
  }

  /** Output tokens delivered so far, as nearly as they can be told piece by piece. */
  get used(): number {
    return this.#used
  }

  /** Counts delivered text. `false`: the balance does not have the next window. */
  spend(text: string): boolean {
    this.#used += text.length < 4 ? 1 : estimateTokens(text)
    // A single large event may pass several windows.
    while (this.#used >= this.#reserved * extendAt) {
      if (!this.#ledger.extend(this.#hold, this.#windowQuota)) return false
      this.#reserved += windowTokens
    }
    return true
  }
}
