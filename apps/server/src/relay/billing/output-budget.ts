import { runningTokens } from '@sluice/vendors/core/running-tokens'
import { effectsMax } from '@sluice/vendors/protocols/bodies/body-use'
import { usualCalls } from '@sluice/vendors/protocols/bodies/offered-tools'
import type { Hold, Ledger } from '../../ledger/ledger.ts'
import type { OwnLimit } from '../model/call.ts'
import { type Reservation, windowTokens } from './reserve.ts'

/**
 * How far our own count may exceed a limit that the vendor was sent before the stream is cut: the vendor uses another tokenizer, and in
 * some scripts ours counts up to 1.5 times as many tokens.
 */
const overShare = 1.5
const overTokens = 1_000
/** Estimated tokens between two exact counts of one stream. */
const betweenCounts = 256

export interface OutputBudgetOptions {
  readonly ledger: Pick<Ledger, 'affordable' | 'extend' | 'fund' | 'heldFor'>
  readonly hold: Hold
  readonly reservation: Reservation
  /** The client's limit for one response; `null`: none given. */
  readonly maxTokens: number | null
  readonly choices: number
  /** The reservation follows the output as it comes. If not, the vendor is sent no higher limit than is reserved. */
  readonly isWatched: boolean
}

/** Why a stream must end: the balance is used up, or the vendor exceeds the limit. */
type Stop = 'out_of_quota' | 'too_long'

/** The output budget of one request: what is reserved and what was used. */
export class OutputBudget {
  readonly #options: OutputBudgetOptions
  /** The limit of one response for the vendor if the client set none; `null`: the client set one, or output is free. */
  readonly ownLimit: OwnLimit | null
  /** Reserved output tokens of all choices. */
  #reserved: number
  /** Output tokens of all choices that the balance covered at the beginning. */
  readonly #affordable: number
  /** The limit that the vendor was sent, for all choices; `null`: none. */
  #upstreamLimit: number | null = null
  /** Beyond this count the vendor exceeds the client's limit. */
  #allowed = Number.POSITIVE_INFINITY
  #used = 0
  /** Below this estimate no check is needed. */
  #quietUntil = 0
  /** The estimate at which the next exact count is due. */
  #countAt = 0

  constructor(options: OutputBudgetOptions) {
    const { ledger, hold, reservation, maxTokens, choices, isWatched } = options
    const within = reservation.outputWithin(ledger.heldFor(hold))
    const affordable = within === null || !isWatched ? within : reservation.outputWithin(ledger.affordable(hold))
    this.#options = options
    this.#reserved = within === null ? Number.POSITIVE_INFINITY : (maxTokens ?? Math.min(within, reservation.outputMax)) * choices
    this.#affordable = affordable === null ? Number.POSITIVE_INFINITY : Math.max(this.#reserved, affordable * choices)
    this.ownLimit = maxTokens === null && affordable !== null ? ownLimitOf(reservation, affordable) : null
    if (maxTokens !== null) this.#allowed = withMargin(maxTokens * choices)
    this.#plan()
  }

  /** The maximum charge beyond the reservation and the balance, in quota. */
  get overshoot(): number {
    return this.#options.reservation.outputQuota(windowTokens)
  }

  /** Output tokens delivered so far, estimated per chunk. */
  get used(): number {
    return Math.ceil(this.#used)
  }

  /** Searches by the vendor that the balance covers; `undefined`: any number, or they are free. */
  get searchesMax(): number | undefined {
    const { ledger, hold, reservation } = this.#options
    return searchesWithin(ledger.affordable(hold) - ledger.heldFor(hold), reservation)
  }

  /** The limit that the vendor was sent, for all choices together; `null`: none. */
  get upstreamLimit(): number | null {
    return this.#upstreamLimit
  }

  /**
   * The vendor is sent this limit, for all choices together (`null`: none). Extends the reservation to one that the balance was not seen to
   * cover, because reasoning models are sent a higher limit than the client's. `false`: the balance does not cover it.
   */
  extendHold(limit: number | null): boolean {
    if (limit !== null && limit > this.#affordable && !this.#extendBy(limit - this.#reserved)) return false
    this.#upstreamLimit = limit
    if (limit !== null) this.#allowed = Math.max(this.#allowed, withMargin(limit))
    this.#plan()
    return true
  }

  /** Adds delivered text to the estimate. `false`: an exact count must decide whether the stream may continue. */
  spend(text: string): boolean {
    this.#used += runningTokens(text)
    if (this.#used < this.#quietUntil) return true
    if (this.#used > this.#allowed || !this.#extendTo(this.#used)) return this.#used < this.#countAt
    this.#plan()
    return true
  }

  /** Gets the quota that `counted` needs for so many tokens, where another node may have it. */
  async fund(tokens: number): Promise<void> {
    const { ledger, hold, reservation } = this.#options
    if (tokens <= this.#tolerated() || tokens < this.#reserved) return
    const windows = Math.ceil((tokens + 1 - this.#reserved) / windowTokens)
    await ledger.fund(hold, reservation.outputQuota(windows * windowTokens)).catch(() => {})
  }

  /** Replaces the estimate by the exact count of all delivered text. `null`: the stream may continue. */
  counted(tokens: number): Stop | null {
    this.#used = tokens
    if (tokens > this.#allowed) return 'too_long'
    if (tokens > this.#tolerated() && !this.#extendTo(tokens)) return 'out_of_quota'
    this.#plan()
    return null
  }

  /** Up to this exact count nothing is cut, although it is not reserved: the vendor counts less, by a limit that is reserved in full. */
  #tolerated(): number {
    return this.#upstreamLimit !== null && this.#upstreamLimit <= this.#reserved ? withMargin(this.#upstreamLimit) : 0
  }

  #plan(): void {
    const cutAt = Math.min(Math.max(this.#reserved, this.#tolerated()), this.#allowed)
    this.#quietUntil = Math.min(this.#reserved, this.#allowed)
    this.#countAt = Math.max(cutAt, this.#used + betweenCounts)
  }

  /** Extends the reservation window by window. `false`: the balance does not cover the next one. */
  #extendTo(tokens: number): boolean {
    while (tokens >= this.#reserved) {
      // A large event or a higher limit may need several windows.
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

/** How often the balance must cover what is assumed of an unknown model, so that it is sent no limit: it may write more than that. */
const amplyTimes = 4

/** Searches that the vendor may do beside those that are reserved. @param free quota */
function searchesWithin(free: number, { searchQuota }: Reservation): number | undefined {
  const most = searchQuota === 0 ? effectsMax.searches : usualCalls + Math.max(0, Math.floor(free / searchQuota))
  return most >= effectsMax.searches ? undefined : most
}

function ownLimitOf({ outputMax, isAssumed }: Reservation, affordable: number): OwnLimit {
  return { outputMax: isAssumed && affordable >= outputMax * amplyTimes ? null : outputMax, affordable }
}

/** What a vendor may write by our count that was sent this limit. */
export function withMargin(tokens: number): number {
  return tokens * overShare + overTokens
}
