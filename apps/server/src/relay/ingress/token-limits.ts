import type { Db } from '../../db/connect.ts'
import type { Ceiling } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds, type UtcPeriods, utcPeriods } from '../../lib/clock.ts'
import type { Permit, Rate, Rates, TokenLimits } from '../model/caller.ts'
import { createMinute, type Minute } from './minute.ts'
import { openPeriods, type Periods } from './token-queries.ts'

const nothing = (): void => {}

/** Shared by all tokens without limits. */
export const unlimitedPermit: Permit = { ceiling: null, expect: nothing, spend: nothing, acquire: () => nothing }

export interface TokenLimiter {
  /** Admits a request and counts it. @throws AppError token_requests_limited, token_tokens_limited, token_busy */
  enter(tokenId: number, limits: TokenLimits): Promise<Permit>
  /** What remains of the limits by the minute; `null`: the token has none. */
  rates(tokenId: number, limits: TokenLimits): Rates | null
}

/** The counters of one token. */
interface Standing {
  readonly requests: Minute
  readonly llmTokens: Minute
  /** Running requests. */
  open: number
  periods: Periods | null
  opening: Promise<Periods> | null
}

/** Tokens with limits that are remembered; beyond it, idle ones are dropped. */
const standingsMax = 10_000

export function createTokenLimiter({ db, clock }: { readonly db: Db; readonly clock: Clock }): TokenLimiter {
  const standings = new Map<number, Standing>()
  const second = (): number => Math.floor(clock.monotonicMs() / 1000)

  function standingOf(tokenId: number): Standing {
    const known = standings.get(tokenId)
    if (known !== undefined) return known
    if (standings.size >= standingsMax) forgetResting(standings, second())
    const fresh: Standing = { requests: createMinute(), llmTokens: createMinute(), open: 0, periods: null, opening: null }
    standings.set(tokenId, fresh)
    return fresh
  }

  /** The current periods, which the first request of a day or month begins; others wait for it. The clock may have been set back. */
  async function periodsOf(tokenId: number, standing: Standing, { day, month }: UtcPeriods): Promise<Periods> {
    const { periods } = standing
    if (periods !== null && periods.day === day && periods.month === month) return periods
    standing.opening ??= openPeriods(db, tokenId, { day, month }).finally(() => {
      standing.opening = null
    })
    standing.periods = await standing.opening
    return standing.periods
  }

  async function ceilingOf(tokenId: number, limits: TokenLimits, standing: Standing): Promise<Ceiling | null> {
    const { quotaPerDay, quotaPerMonth } = limits
    if (quotaPerDay === 0 && quotaPerMonth === 0) return null
    const now = utcPeriods(nowSeconds(clock))
    const { dayBase, monthBase } = await periodsOf(tokenId, standing, now)
    const dayMax = quotaPerDay === 0 ? Number.POSITIVE_INFINITY : dayBase + quotaPerDay
    const monthMax = quotaPerMonth === 0 ? Number.POSITIVE_INFINITY : monthBase + quotaPerMonth
    const [usedMax, refusal] =
      monthMax <= dayMax
        ? [monthMax, () => spent('token_month_quota', quotaPerMonth, now.secondsToNextMonth)]
        : [dayMax, () => spent('token_day_quota', quotaPerDay, now.secondsToNextDay)]
    return { usedMax, refusal }
  }

  return {
    async enter(tokenId, limits) {
      const standing = standingOf(tokenId)
      const ceiling = await ceilingOf(tokenId, limits, standing)
      // From here on the code is synchronous: two requests cannot take the same last place.
      check(standing, limits, second())
      standing.requests.add(second(), 1)
      standing.open += 1
      return permitOf(standing, { ceiling, second })
    },
    rates(tokenId, { requestsPerMinute, tokensPerMinute }) {
      const standing = standings.get(tokenId)
      if (standing === undefined || (requestsPerMinute === 0 && tokensPerMinute === 0)) return null
      return {
        requests: rateOf(standing.requests, requestsPerMinute, second()),
        llmTokens: rateOf(standing.llmTokens, tokensPerMinute, second()),
      }
    },
  }
}

function rateOf(minute: Minute, limit: number, now: number): Rate | null {
  if (limit === 0) return null
  return { limit, remaining: Math.max(0, limit - minute.sum(now)), resetSeconds: minute.secondsUntilEmpty(now) }
}

function check({ open, requests, llmTokens }: Standing, limits: TokenLimits, now: number): void {
  const { requestsAtOnce, requestsPerMinute, tokensPerMinute } = limits
  if (requestsAtOnce > 0 && open >= requestsAtOnce)
    throw new AppError('token_busy', { params: { limit: requestsAtOnce }, retryAfterSeconds: 1 })
  if (requestsPerMinute > 0 && requests.sum(now) >= requestsPerMinute)
    throw rateRefusal('token_requests_limited', requestsPerMinute, requests.secondsUntilBelow(now, requestsPerMinute))
  if (tokensPerMinute > 0 && llmTokens.sum(now) >= tokensPerMinute)
    throw rateRefusal('token_tokens_limited', tokensPerMinute, llmTokens.secondsUntilBelow(now, tokensPerMinute))
}

function rateRefusal(code: 'token_requests_limited' | 'token_tokens_limited', limit: number, seconds: number): AppError {
  return new AppError(code, { params: { limit, seconds }, retryAfterSeconds: seconds })
}

function spent(code: 'token_day_quota' | 'token_month_quota', limit: number, seconds: number): AppError {
  return new AppError(code, { params: { limit }, retryAfterSeconds: seconds })
}

function permitOf(standing: Standing, { ceiling, second }: { readonly ceiling: Ceiling | null; readonly second: () => number }): Permit {
  let holders = 0
  let expected = { at: 0, llmTokens: 0 }
  let used = 0

  function releaseOne(): void {
    holders -= 1
    if (holders > 0) return
    standing.open -= 1
    standing.llmTokens.add(expected.at, -expected.llmTokens)
    standing.llmTokens.add(second(), used)
  }

  return {
    ceiling,
    expect(promptTokens) {
      expected = { at: second(), llmTokens: promptTokens }
      standing.llmTokens.add(expected.at, promptTokens)
    },
    spend(llmTokens) {
      used = llmTokens
    },
    acquire() {
      holders += 1
      let isHeld = true
      return () => {
        if (isHeld) releaseOne()
        isHeld = false
      }
    },
  }
}

function forgetResting(standings: Map<number, Standing>, now: number): void {
  for (const [tokenId, { open, requests, llmTokens }] of standings) {
    if (open === 0 && requests.sum(now) === 0 && llmTokens.sum(now) === 0) standings.delete(tokenId)
  }
}

interface LimitColumns {
  readonly requests_per_minute: number
  readonly tokens_per_minute: number
  readonly requests_at_once: number
  readonly quota_per_day: number
  readonly quota_per_month: number
}

/** `null`: no limits. */
export function limitsOf(row: LimitColumns): TokenLimits | null {
  const limits: TokenLimits = {
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    requestsAtOnce: row.requests_at_once,
    quotaPerDay: row.quota_per_day,
    quotaPerMonth: row.quota_per_month,
  }
  return Object.values(limits).some((limit) => limit > 0) ? limits : null
}
