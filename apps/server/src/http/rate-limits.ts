import { type Endpoint, type LimitClass, limitOf, type RateLimit } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { clientKey } from '../lib/cidr.ts'
import type { Clock } from '../lib/clock.ts'
import { createRateLimiter, type RateLimiter } from '../lib/rate-limiter.ts'

/** Who is counted: an account, or the client's address if nobody is signed in. */
export type Counted = { readonly id: number } | { readonly address: string }

export interface RateLimits {
  /**
   * Limits look-ups of sessions and access tokens by address, because each costs a query. Called before the look-up.
   * @throws AppError rate_limited
   */
  takeForAddress(address: string): void
  /** @throws AppError rate_limited */
  take(endpoint: Endpoint, who: Counted): void
}

/** `null` = no limit of this class. */
export type LimitTable = Readonly<Record<LimitClass, RateLimit | null>>

/** Number of accounts behind one address that can each use their full limit. */
const accountsAtOneAddress = 10

/** @param refused called at every refusal */
export function createRateLimits(clock: Clock, table: LimitTable, refused: (limitClass: LimitClass) => void): RateLimits {
  // Holds: made from the entries of the table itself.
  const limiters = Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, limiterOf(clock, rule)])) as Record<
    LimitClass,
    RateLimiter | null
  >
  const door = limiterOf(clock, table.api && { ...table.api, count: table.api.count * accountsAtOneAddress })

  return {
    takeForAddress: (address) => takeFrom(door, clientKey(address), 'api'),
    take(endpoint, who) {
      const limitClass = limitOf(endpoint)
      takeFrom(limiters[limitClass], 'id' in who ? `account ${who.id}` : clientKey(who.address), limitClass)
    },
  }

  function takeFrom(limiter: RateLimiter | null, key: string, limitClass: LimitClass): void {
    const seconds = limiter?.take(key) ?? 0
    if (seconds === 0) return
    refused(limitClass)
    throw new AppError('rate_limited', { params: { seconds }, retryAfterSeconds: seconds })
  }
}

function limiterOf(clock: Clock, rule: RateLimit | null): RateLimiter | null {
  return rule === null ? null : createRateLimiter(clock, rule)
}
