import { AppError } from '../lib/app-error.ts'
import type { Ceiling, TokenQuota } from './ledger.ts'

/** An account or a token. */
export interface Payer {
  readonly of: 'user' | 'token'
  readonly id: number
}

/** What the store has of an account or a token, and what it adds to the lease. */
export interface Funds extends Payer {
  readonly granted: number
  /** The committed balance of an account. */
  readonly balance: number
  /** The committed amounts of a token; `null`: an account. */
  readonly limit: TokenQuota | null
}

/** An entry that stays in memory while it is in use. */
interface Kept {
  /** The number of open reservations, uncommitted changes and callers of `load` that use the entry. */
  uses: number
  held: number
  /** Another node recalled what this one does not use: quota that becomes free goes back at once. */
  isTight: boolean
  /** What was spent here and is not committed yet: the store's amounts, which come with a response to an ask, lack it. */
  unwritten: number
}

export interface Balance extends Kept {
  /**
   * What this process may spend: the whole balance, or its lease. Includes decisions that are not committed yet; the store applies them in
   * the same order.
   */
  balance: number
  /** The whole balance, as far as this process knows. */
  known: number
}

export interface Limit extends Kept {
  /** What this process may spend: all that remains, or its lease. */
  remain: number
  /** All that remains, as far as a process with a lease of it knows. */
  known: number
  isUnlimited: boolean
  used: number
  forms: string
}

export interface OpenHold {
  readonly user: Balance
  readonly limit: Limit
  readonly ceiling: Ceiling | null
  /** Whether the token's quota is reserved as well. */
  readonly isOfToken: boolean
  amount: number
}

export type HoldTarget = Omit<OpenHold, 'amount'>

/** What an operation takes from the leases of its account and its token. */
export interface Freed {
  readonly user: number
  readonly token: number
  /** What is `unwritten` until the operation is committed. Missing = nothing. */
  readonly spent?: number
  /** What the ended reservation had, and whether its token's quota was reserved as well. Missing = this process had no reservation. */
  readonly held?: number
  readonly isOfToken?: boolean
}

/** How quota in memory limits requests. */
export interface QuotaRules {
  /** Whether a request reserves quota of its token. */
  isOfToken(limit: Limit, ceiling: Ceiling | null): boolean
  /** The largest amount that can be reserved. */
  roomOf(target: HoldTarget): number
  /** The largest amount by the whole balance, as far as this process knows it: other nodes may reserve it, too. */
  forecastOf(target: HoldTarget): number
  /** Why the reservation is refused; `null`: it is possible. */
  refusalOf(target: HoldTarget, amount: number): Error | null
  /** Changes memory by a charge. The reservation is no longer held. */
  spend(hold: OpenHold, amount: number): Freed
  /** Takes a charge back that is not committed. @returns whether its reservation is to be held by this process again */
  unspend(entries: Pick<OpenHold, 'user' | 'limit'>, amount: number): boolean
}

export const nothingFreed: Freed = { user: 0, token: 0 }

/** This process owns every balance. */
export const wholeQuota: QuotaRules = {
  isOfToken: () => true,
  roomOf({ user, limit, ceiling }) {
    const ofToken = limit.isUnlimited ? Number.POSITIVE_INFINITY : limit.remain - limit.held
    const ofCeiling = ceiling === null ? Number.POSITIVE_INFINITY : ceiling.usedMax - limit.used - limit.held
    return Math.min(user.balance - user.held, ofToken, ofCeiling)
  },
  forecastOf: (target) => wholeQuota.roomOf(target),
  refusalOf({ user, limit, ceiling }, amount) {
    if (user.balance - user.held < amount) return tooLittle('user', amount, user.balance - user.held)
    if (!limit.isUnlimited && limit.remain - limit.held < amount) return tooLittle('token', amount, limit.remain - limit.held)
    return ceiling === null || limit.used + limit.held + amount <= ceiling.usedMax ? null : ceiling.refusal()
  },
  spend({ user, limit }, amount) {
    user.balance -= amount
    user.known -= amount
    if (!limit.isUnlimited) limit.remain -= amount
    limit.used += amount
    return nothingFreed
  },
  unspend({ user, limit }, amount) {
    user.balance += amount
    user.known += amount
    if (!limit.isUnlimited) limit.remain += amount
    limit.used -= amount
    return true
  },
}

/**
 * This process has leases: parts of balances that no other node can spend. A lease of a token already obeys the token's limits for a day
 * and a month. What a charge exceeds a lease by is taken from the rest of the balance.
 */
export const leasedQuota: QuotaRules = {
  isOfToken: ({ isUnlimited }, ceiling) => !isUnlimited || ceiling !== null,
  roomOf({ user, limit, ceiling, isOfToken }) {
    const ofToken = isOfToken ? Math.min(freeOfLimit(limit), leftBelow(ceiling, limit)) : Number.POSITIVE_INFINITY
    return Math.min(freeOf(user), ofToken)
  },
  forecastOf({ user, limit, ceiling, isOfToken }) {
    const ofToken = !isOfToken || limit.isUnlimited ? Number.POSITIVE_INFINITY : limit.known - limit.held
    return Math.min(user.known - user.held, ofToken, isOfToken ? leftBelow(ceiling, limit) : Number.POSITIVE_INFINITY)
  },
  refusalOf({ user, limit, ceiling, isOfToken }, amount) {
    if (freeOf(user) < amount) return tooLittle('user', amount, user.known - user.held)
    // The lease may have been granted below a higher limit than the present one.
    if (ceiling !== null && leftBelow(ceiling, limit) < amount) return ceiling.refusal()
    if (!isOfToken || freeOfLimit(limit) >= amount) return null
    return ceiling === null || !limit.isUnlimited ? tooLittle('token', amount, limit.known - limit.held) : ceiling.refusal()
  },
  spend({ user, limit, isOfToken }, amount) {
    const ofUser = user.isTight ? freeOf(user) : Math.min(amount, freeOf(user))
    const ofToken = !isOfToken ? 0 : limit.isTight ? freeOfLimit(limit) : Math.min(amount, freeOfLimit(limit))
    user.balance -= ofUser
    user.known -= amount
    user.unwritten += amount
    limit.remain -= ofToken
    limit.known -= amount
    limit.used += amount
    limit.unwritten += amount
    return { user: ofUser, token: ofToken, spent: amount }
  },
  unspend({ user, limit }, amount) {
    user.known += amount
    user.unwritten -= amount
    limit.known += amount
    limit.used -= amount
    limit.unwritten -= amount
    return false
  },
}

const shortages = {
  user: { code: 'insufficient_user_quota', messageKey: 'user_quota_needed' },
  token: { code: 'insufficient_token_quota', messageKey: 'token_quota_needed' },
} as const

/** The refusal of a request that needs more than there is. */
export function tooLittle(of: Payer['of'], needed: number, left: number): AppError {
  const { code, messageKey } = shortages[of]
  return new AppError(code, { messageKey, params: { needed, left: Math.max(0, left) } })
}

/** What a limit for a day or a month leaves, by what this process knows was spent. */
function leftBelow(ceiling: Ceiling | null, { used, held }: Limit): number {
  return ceiling === null ? Number.POSITIVE_INFINITY : ceiling.usedMax - used - held
}

export function freeOf({ balance, held }: Balance): number {
  return Math.max(0, balance - held)
}

export function freeOfLimit({ remain, held }: Limit): number {
  return Math.max(0, remain - held)
}
