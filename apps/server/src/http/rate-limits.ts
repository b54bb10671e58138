import { type Endpoint, type LimitClass, limitOf, type RateLimit } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { clientKey } from '../lib/cidr.ts'
import type { Limiters, Rated } from '../lib/limiters.ts'

/** Who is counted: an account, or the client's address if nobody is signed in. */
export type Counted = { readonly id: number } | { readonly address: string }

export interface RateLimits {
  /**
   * Limits look-ups of sessions and access tokens by address, because each costs a query. Called before the look-up.
   * @throws AppError rate_limited
   */
  takeForAddress(address: string): Promise<void>
  /** @throws AppError rate_limited */
  take(endpoint: Endpoint, who: Counted): Promise<void>
}

/** `null` = no limit of this class. */
export type LimitTable = Readonly<Record<LimitClass, RateLimit | null>>

/** Number of accounts behind one address that can each use their full limit. */
const accountsAtOneAddress = 10

/** @param refused called at every refusal */
export function createRateLimits(limiters: Limiters, table: LimitTable, refused: (limitClass: LimitClass) => void): RateLimits {
  const limiterOf = (name: string, rule: RateLimit | null): Rated | null => (rule === null ? null : limiters.rate(name, rule))
  // Holds: made from the entries of the table itself.
  const limits = Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, limiterOf(name, rule)])) as Record<
    LimitClass,
    Rated | null
  >
  const door = limiterOf('door', table.api && { ...table.api, count: table.api.count * accountsAtOneAddress })

  return {
    takeForAddress: (address) => takeFrom(door, clientKey(address), 'api'),
    take(endpoint, who) {
      const limitClass = limitOf(endpoint)
      return takeFrom(limits[limitClass], 'id' in who ? `account ${who.id}` : clientKey(who.address), limitClass)
    },
  }

  async function takeFrom(limiter: Rated | null, key: string, limitClass: LimitClass): Promise<void> {
    const seconds = (await limiter?.take(key)) ?? 0
    if (seconds === 0) return
    refused(limitClass)
    throw new AppError('rate_limited', { params: { seconds }, retryAfterSeconds: seconds })
  }
}
