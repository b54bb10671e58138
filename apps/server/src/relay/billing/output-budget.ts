import type { Hold, Ledger } from '../../ledger/ledger.ts'
import { runningTokens } from '../pricing/running-tokens.ts'
import { type Reservation, windowTokens } from './reserve.ts'

/**
 * How far a vendor that was told a limit may go beyond it by our count before a stream is cut: it counts with a tokenizer of its own, and ours
 * may see half as many tokens again in some scripts.
 */
const overShare = 1.5
const overTokens = 1_000
/** Estimated tokens between two exact counts of one stream. */
const betweenCounts = 256

export interface OutputBudgetOptions {
  readonly ledger: Pick<Ledger, 'extend'>
  readonly hold: Hold
  readonly reservation: Reservation
  /** The client's limit for one answer; `null` = it named none. */
  readonly maxTokens: number | null
  readonly choices: number
}

/** Why a stream must end: the balance does not have more, or the vendor does not keep to the limit. */
type Stop = 'out_of_quota' | 'too_long'

/** What the answer to one request may write: what is reserved for it, and what it has used. */
export class OutputBudget {
  readonly #options: OutputBudgetOptions
  /** The limit that a vendor is told where the client named none: what is reserved; `null`: the client named one, or output costs nothing. */
  readonly ownLimit: number | null
  /** What is reserved is less than what the model can write, because the balance or `MaxReserve` has no more. */
  readonly isTight: boolean
  /** Output tokens that are reserved, in all answers. */
  #reserved: number
  /** Up to here nothing is cut, by an exact count: what is reserved, or more where the vendor was told a limit. */
  #tolerated = 0
  /** Beyond it the vendor does not keep to what the client allows. */
  #allowed = Number.POSITIVE_INFINITY
  #used = 0
  /** Below it there is nothing to decide. */
  #quietUntil = 0
  /** Estimate at which the next exact count is due. */
  #countAt = 0

  constructor(options: OutputBudgetOptions) {
    const { hold, reservation, maxTokens, choices } = options
    const within = reservation.outputWithin(hold.amount)
    this.#options = options
    this.#reserved = within === null ? Number.POSITIVE_INFINITY : (maxTokens ?? within) * choices
    this.ownLimit = maxTokens === null ? within : null
    this.isTight = within !== null && within < reservation.outputMax
    if (maxTokens !== null) this.#allowed = withMargin(maxTokens * choices)
    this.#plan()
  }

  /** The most that is charged beyond what the reservation and the balance can pay, in quota. */
  get overshoot(): number {
    return this.#options.reservation.outputQuota(windowTokens)
  }

  /** Output tokens delivered so far, as nearly as they can be told piece by piece. */
  get used(): number {
    return Math.ceil(this.#used)
  }

  /**
   * The vendor is told this limit, for all answers together; `null`: it takes none. Reserves what it allows beyond what is reserved, because a
   * vendor that reasons within its limit is told a larger one. `false`: the balance does not have it.
   */
  extendHold(limit: number | null): boolean {
    if (limit !== null && limit > this.#reserved && !this.#extendBy(limit - this.#reserved)) return false
    this.#tolerated = limit === null ? 0 : withMargin(limit)
    if (limit !== null) this.#allowed = Math.max(this.#allowed, withMargin(limit))
    this.#plan()
    return true
  }

  /** Counts delivered text by a quick estimate. `false`: only an exact count can tell whether the stream may go on. */
  spend(text: string): boolean {
    this.#used += runningTokens(text)
    if (this.#used < this.#quietUntil) return true
    if (this.#used > this.#allowed || !this.#extendTo(this.#used)) return this.#used < this.#countAt
    this.#quietUntil = Math.min(this.#reserved, this.#allowed)
    return true
  }

  /** What was delivered in all, counted exactly, takes the place of the estimate. `null`: the stream may go on. */
  counted(tokens: number): Stop | null {
    this.#used = tokens
    if (tokens > this.#allowed) return 'too_long'
    if (tokens > this.#tolerated && !this.#extendTo(tokens)) return 'out_of_quota'
    this.#plan()
    return null
  }

  #plan(): void {
    const cutAt = Math.min(Math.max(this.#reserved, this.#tolerated), this.#allowed)
    this.#quietUntil = Math.min(this.#reserved, this.#allowed)
    this.#countAt = Math.max(cutAt, this.#used + betweenCounts)
  }

  /** Reserves window by window. `false`: the balance does not have the next one. */
  #extendTo(tokens: number): boolean {
    while (tokens >= this.#reserved) {
      // One large event, or a larger limit, may need several windows.
      const windows = Math.ceil((tokens + 1 - this.#reserved) / windowTokens)
      if (!this.#extendBy(windows * windowTokens)) return false
    }
    return true
  }

  #extendBy(tokens: number): boolean {
    const { ledger, hold, reservation } = this.#options
    if (!ledger.extend(hold, reservation.outputQuota(tokens))) return false
    this.#reserved += tokens
    return true
  }
}

function withMargin(tokens: number): number {
  return tokens * overShare + overTokens
}
