import type { Db } from '../../db/connect.ts'
import type { Ceiling } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds, type UtcPeriods, utcPeriods } from '../../lib/clock.ts'
import type { Permit, Rates, TokenLimits } from '../model/caller.ts'
import type { TokenMinutes } from './token-minutes.ts'
import type { GiveBack, TokenPlaces } from './token-places.ts'
import { openPeriods, type Periods } from './token-queries.ts'

const nothing = (): void => {}

/** Shared by all tokens without limits. */
export const unlimitedPermit: Permit = { ceiling: null, expect: nothing, spend: nothing, acquire: () => nothing }

export interface TokenLimiter {
  /** Admits a request and counts it. @throws AppError token_requests_limited, token_tokens_limited, token_busy */
  enter(tokenId: number, limits: TokenLimits): Permit | Promise<Permit>
  /** What remains of the limits by the minute; `null`: the token has none. */
  rates(tokenId: number, limits: TokenLimits): Rates | null
}

/** What is running and what was spent of one token. */
interface Standing {
  /** Running requests. */
  open: number
  periods: Periods | null
  opening: Promise<Periods> | null
}

/** Tokens with limits that are remembered; beyond it, idle ones are dropped. */
const standingsMax = 10_000

interface LimiterDeps {
  readonly db: Db
  readonly clock: Clock
  readonly minutes: TokenMinutes
  readonly places: TokenPlaces
}

export function createTokenLimiter({ db, clock, minutes, places }: LimiterDeps): TokenLimiter {
  const standings = new Map<number, Standing>()

  function standingOf(tokenId: number): Standing {
    const known = standings.get(tokenId)
    if (known !== undefined) return known
    if (standings.size >= standingsMax) forgetResting(standings)
    const fresh: Standing = { open: 0, periods: null, opening: null }
    standings.set(tokenId, fresh)
    return fresh
  }

  /** The current periods, which the first request of a day or month begins; others wait for it. The clock may have been set back. */
  async function openedPeriods(tokenId: number, standing: Standing, { day, month }: UtcPeriods): Promise<Periods> {
    standing.opening ??= openPeriods(db, tokenId, { day, month }).finally(() => {
      standing.opening = null
    })
    standing.periods = await standing.opening
    return standing.periods
  }

  function ceilingOf(tokenId: number, limits: TokenLimits, standing: Standing): Ceiling | null | Promise<Ceiling> {
    if (limits.quotaPerDay === 0 && limits.quotaPerMonth === 0) return null
    const now = utcPeriods(nowSeconds(clock))
    const { periods } = standing
    if (periods !== null && periods.day === now.day && periods.month === now.month) return ceilingIn(periods, limits, now)
    return openedPeriods(tokenId, standing, now).then((opened) => ceilingIn(opened, limits, now))
  }

  function ceilingIn({ dayBase, monthBase }: Periods, { quotaPerDay, quotaPerMonth }: TokenLimits, now: UtcPeriods): Ceiling {
    const dayMax = quotaPerDay === 0 ? Number.POSITIVE_INFINITY : dayBase + quotaPerDay
    const monthMax = quotaPerMonth === 0 ? Number.POSITIVE_INFINITY : monthBase + quotaPerMonth
    return monthMax <= dayMax
      ? { usedMax: monthMax, refusal: () => spent('token_month_quota', quotaPerMonth, now.secondsToNextMonth) }
      : { usedMax: dayMax, refusal: () => spent('token_day_quota', quotaPerDay, now.secondsToNextDay) }
  }

  /** Waits only where a step has to: on one process the steps are done at once. */
  function takePlace(request: PendingAdmission): Permit | Promise<Permit> {
    const { tokenId, limits } = request
    const taking = limits.requestsAtOnce > 0 ? places.take(tokenId, limits.requestsAtOnce) : nothing
    return taking instanceof Promise ? taking.then((giveBack) => findCeiling(request, giveBack)) : findCeiling(request, taking)
  }

  function findCeiling(request: PendingAdmission, giveBack: GiveBack): Permit | Promise<Permit> {
    request.giveBack = giveBack
    const finding = ceilingOf(request.tokenId, request.limits, request.standing)
    return finding instanceof Promise ? finding.then((ceiling) => countRequest(request, ceiling)) : countRequest(request, finding)
  }

  function countRequest(request: PendingAdmission, ceiling: Ceiling | null): Permit | Promise<Permit> {
    const counting = minutes.enter(request.tokenId, request.limits)
    const permit = new CountedPermit(request, ceiling, minutes)
    return counting === undefined ? permit : counting.then(() => permit)
  }

  return {
    enter(tokenId, limits) {
      const standing = standingOf(tokenId)
      standing.open += 1
      const request: PendingAdmission = { tokenId, limits, standing, giveBack: nothing }
      try {
        const entering = takePlace(request)
        return entering instanceof Promise ? entering.catch((error) => refuse(request, error)) : entering
      } catch (error) {
        return refuse(request, error)
      }
    },
    rates: minutes.rates,
  }
}

function spent(code: 'token_day_quota' | 'token_month_quota', limit: number, seconds: number): AppError {
  return new AppError(code, { params: { limit }, retryAfterSeconds: seconds })
}

/** A request that is being admitted. */
interface PendingAdmission {
  readonly tokenId: number
  readonly limits: TokenLimits
  readonly standing: Standing
  /** Gives back the token's place, once it has one. */
  giveBack: GiveBack
}

/** Undoes what the limits before the one that refuses a request have counted. */
function refuse({ giveBack, standing }: PendingAdmission, error: unknown): never {
  giveBack()
  standing.open -= 1
  throw error
}

/** A class, because functions of its own would be made for every request. */
class CountedPermit implements Permit {
  readonly ceiling: Ceiling | null
  readonly #request: PendingAdmission
  readonly #minutes: TokenMinutes
  #holders = 0
  #expectedAt = 0
  #expected = 0
  #used = 0

  constructor(request: PendingAdmission, ceiling: Ceiling | null, minutes: TokenMinutes) {
    this.ceiling = ceiling
    this.#request = request
    this.#minutes = minutes
  }

  expect(promptTokens: number): void {
    this.#expectedAt = this.#minutes.second()
    this.#expected = promptTokens
    this.#minutes.add(this.#request.tokenId, this.#expectedAt, promptTokens)
  }

  spend(llmTokens: number): void {
    this.#used = llmTokens
  }

  acquire(): () => void {
    this.#holders += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#release()
      isHeld = false
    }
  }

  #release(): void {
    this.#holders -= 1
    if (this.#holders > 0) return
    const { standing, giveBack, tokenId } = this.#request
    const minutes = this.#minutes
    standing.open -= 1
    giveBack()
    minutes.add(tokenId, this.#expectedAt, -this.#expected)
    minutes.add(tokenId, minutes.second(), this.#used)
  }
}

function forgetResting(standings: Map<number, Standing>): void {
  for (const [tokenId, { open, opening }] of standings) if (open === 0 && opening === null) standings.delete(tokenId)
}

interface LimitColumns {
  readonly requests_per_minute: number
  readonly tokens_per_minute: number
  readonly requests_at_once: number
  readonly quota_per_day: number
  readonly quota_per_month: number
}

/** Larger numbers than the engine adds exactly limit nothing. @returns `null`: no limits */
export function limitsOf(row: LimitColumns): TokenLimits | null {
  const limitOf = (stored: number): number => Math.min(stored, Number.MAX_SAFE_INTEGER)
  const limits: TokenLimits = {
    requestsPerMinute: limitOf(row.requests_per_minute),
    tokensPerMinute: limitOf(row.tokens_per_minute),
    requestsAtOnce: limitOf(row.requests_at_once),
    quotaPerDay: limitOf(row.quota_per_day),
    quotaPerMonth: limitOf(row.quota_per_month),
  }
  return Object.values(limits).some((limit) => limit > 0) ? limits : null
}
