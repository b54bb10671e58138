import { type Endpoint, type LimitClass, limitOf, type RateLimit } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { clientKey } from '../lib/cidr.ts'
import type { Clock } from '../lib/clock.ts'
import { createPace, type Pace } from '../lib/pace.ts'

/** Who is counted: an account, or where nobody has signed in the client's address. */
export type Counted = { readonly id: number } | { readonly address: string }

export interface RateLimits {
  /**
   * Before a session or access token is looked up, which costs a query: an address may have so many looked up.
   * @throws AppError rate_limited
   */
  knock(address: string): void
  /** @throws AppError rate_limited */
  take(endpoint: Endpoint, who: Counted): void
}

/** `null` = no limit of this class. */
export type LimitTable = Readonly<Record<LimitClass, RateLimit | null>>

/** How many accounts behind one address may do all that one account may. */
const accountsAtOneAddress = 10

export function createRateLimits(clock: Clock, table: LimitTable): RateLimits {
  // Holds: made from the entries of the table itself.
  const paces = Object.fromEntries(Object.entries(table).map(([name, rule]) => [name, paceOf(clock, rule)])) as Record<
    LimitClass,
    Pace | null
  >
  const door = paceOf(clock, table.api && { ...table.api, count: table.api.count * accountsAtOneAddress })

  return {
    knock: (address) => takeFrom(door, clientKey(address)),
    take: (endpoint, who) => takeFrom(paces[limitOf(endpoint)], 'id' in who ? `account ${who.id}` : clientKey(who.address)),
  }
}

function paceOf(clock: Clock, rule: RateLimit | null): Pace | null {
  return rule === null ? null : createPace(clock, rule)
}

function takeFrom(pace: Pace | null, key: string): void {
  const seconds = pace?.take(key) ?? 0
  if (seconds > 0) throw new AppError('rate_limited', { params: { seconds }, retryAfterSeconds: seconds })
}
