import type { Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Reading, type ReadingDeps, reading } from '../ingress/read-with-permit.ts'
import type { Incoming } from '../model/incoming.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { findAmounts } from './amount-queries.ts'

export interface BalanceDeps extends ReadingDeps {
  readonly db: Db
  readonly settings: () => Settings
}

/** The amount shown for an unlimited token: the format has no value for "unlimited". */
const unlimitedAmount = 100_000_000

interface Amounts {
  /** Remaining plus used quota. */
  readonly granted: number
  readonly used: number
  readonly isUnlimited: boolean
  /** Seconds since the epoch; 0: no expiry. */
  readonly accessUntil: number
}

/** The amounts of the token or of its account (DisplayTokenStatEnabled), in the displayed unit. */
async function readAmounts({ caller, deps: { db, settings } }: Reading<BalanceDeps>): Promise<Amounts> {
  const amounts = await findAmounts(db, caller.tokenId)
  if (amounts === undefined) throw new AppError('token_invalid')
  const { DisplayTokenStatEnabled, DisplayInCurrencyEnabled, QuotaPerUnit } = settings()
  const toDisplay = (quota: number): number => (DisplayInCurrencyEnabled ? quota / QuotaPerUnit : quota)
  const { token, user } = amounts
  if (!DisplayTokenStatEnabled)
    return { granted: toDisplay(user.remaining + user.used), used: toDisplay(user.used), isUnlimited: false, accessUntil: 0 }
  return {
    granted: toDisplay(token.remaining + token.used),
    used: toDisplay(token.used),
    isUnlimited: token.isUnlimited,
    accessUntil: Math.max(0, token.expiredTime),
  }
}

/** GET /dashboard/billing/subscription, used by scripts and clients of token holders. */
export const showSubscription = reading<BalanceDeps>(async (read) => {
  const { granted, isUnlimited, accessUntil } = await readAmounts(read)
  const amount = isUnlimited ? unlimitedAmount : granted
  const body = {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: amount,
    hard_limit_usd: amount,
    system_hard_limit_usd: amount,
    access_until: accessUntil,
  }
  return Response.json(body, { headers: balanceHeaders(read.incoming) })
})

/** GET /dashboard/billing/usage, in hundredths of the unit. */
export const showUsage = reading<BalanceDeps>(async (read) => {
  const { used } = await readAmounts(read)
  return Response.json({ object: 'list', total_usage: used * 100 }, { headers: balanceHeaders(read.incoming) })
})

function balanceHeaders({ requestId }: Incoming): Record<string, string> {
  return { ...relayHeaders(requestId, 0), 'cache-control': 'no-store' }
}
