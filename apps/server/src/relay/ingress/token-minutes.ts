import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Rate, Rates, TokenLimits } from '../model/caller.ts'
import { createMinute, type Minute } from './minute-window.ts'

/** Counts the requests and LLM tokens of each token by the minute. */
export interface TokenMinutes {
  /** Admits and counts a request. @throws AppError token_requests_limited, token_tokens_limited */
  enter(tokenId: number, limits: TokenLimits): void | Promise<void>
  /** Adds LLM tokens to a second; a negative number undoes an earlier one. */
  add(tokenId: number, second: number, llmTokens: number): void
  /** The present second. */
  second(): number
  /** What remains of the limits; `null`: the token has none. */
  rates(tokenId: number, limits: TokenLimits): Rates | null
  /** Exchanges with other nodes what has been counted; to be called every `exchangeMs`. Does not throw. */
  exchange(): Promise<void>
}

/** The last minute of one token. */
export interface Counted {
  readonly requests: Minute
  readonly llmTokens: Minute
}

/** Tokens whose minutes are remembered; beyond it, those that were idle for a minute are dropped. */
const tokensMax = 10_000

/** Counts in the memory of this process. */
export function ownMinutes(clock: Pick<Clock, 'monotonicMs'>): TokenMinutes {
  const byToken = new Map<number, Counted>()
  const second = (): number => Math.floor(clock.monotonicMs() / 1000)

  function minuteOf(tokenId: number): Counted {
    const known = byToken.get(tokenId)
    if (known !== undefined) return known
    if (byToken.size >= tokensMax) forgetIdle(byToken, second())
    const fresh = { requests: createMinute(), llmTokens: createMinute() }
    byToken.set(tokenId, fresh)
    return fresh
  }

  return {
    enter(tokenId, limits) {
      const counted = minuteOf(tokenId)
      const now = second()
      checkRequests(counted, limits, now)
      checkLlmTokens(counted, limits, now)
      counted.requests.add(now, 1)
    },
    add: (tokenId, at, llmTokens) => minuteOf(tokenId).llmTokens.add(at, llmTokens),
    second,
    rates(tokenId, limits) {
      const counted = byToken.get(tokenId)
      return counted === undefined ? null : ratesOf(counted, limits, second())
    },
    exchange: async () => {},
  }
}

function forgetIdle(byToken: Map<number, Counted>, now: number): void {
  for (const [tokenId, { requests, llmTokens }] of byToken) if (requests.sum(now) === 0 && llmTokens.sum(now) === 0) byToken.delete(tokenId)
}

/** @throws AppError token_requests_limited */
export function checkRequests({ requests }: Counted, { requestsPerMinute: limit }: TokenLimits, now: number): void {
  if (limit > 0 && requests.sum(now) >= limit) throw refusal('token_requests_limited', limit, requests.secondsUntilBelow(now, limit))
}

/** @throws AppError token_tokens_limited */
export function checkLlmTokens({ llmTokens }: Counted, { tokensPerMinute: limit }: TokenLimits, now: number): void {
  if (limit > 0 && llmTokens.sum(now) >= limit) throw refusal('token_tokens_limited', limit, llmTokens.secondsUntilBelow(now, limit))
}

function refusal(code: 'token_requests_limited' | 'token_tokens_limited', limit: number, seconds: number): AppError {
  return new AppError(code, { params: { limit, seconds }, retryAfterSeconds: seconds })
}

export function ratesOf({ requests, llmTokens }: Counted, { requestsPerMinute, tokensPerMinute }: TokenLimits, now: number): Rates | null {
  if (requestsPerMinute === 0 && tokensPerMinute === 0) return null
  return { requests: rateOf(requests, requestsPerMinute, now), llmTokens: rateOf(llmTokens, tokensPerMinute, now) }
}

function rateOf(minute: Minute, limit: number, now: number): Rate | null {
  if (limit === 0) return null
  return { limit, remaining: Math.max(0, limit - minute.sum(now)), resetSeconds: minute.secondsUntilEmpty(now) }
}
