import { AppError } from '../lib/app-error.ts'
import type { Ceiling, HoldRequest, NewTokenQuota, TokenQuota } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'

/** An entry that stays in memory while it is in use. */
interface Kept {
  /** The number of open reservations, uncommitted changes and callers of `load` that use the entry. */
  uses: number
}

interface Balance extends Kept {
  /** Includes decisions that are not committed yet; the store applies them in the same order. */
  balance: number
  held: number
}

interface Limit extends Kept {
  remain: number
  isUnlimited: boolean
  used: number
  forms: string
  held: number
}

interface OpenHold {
  readonly user: Balance
  readonly limit: Limit
  readonly ceiling: Ceiling | null
  amount: number
}

/** Balances, token limits and open reservations in memory: quota decisions are synchronous checks of these. */
export interface Accounts {
  isLoaded(userId: number, tokenId: number): boolean
  /**
   * Reads what is not in memory. Reading and storing happen in one turn of the store's queue, so no commit falls between them.
   * @returns a function that releases the entries
   */
  load(userId: number, tokenId: number): Promise<() => void>
  /** Holds the entries that are already in memory. @returns a function that releases them */
  keep(userId: number, tokenId: number): () => void
  /**
   * Reserves the amount, or if the balance is lower, the rest of it, down to `least`.
   * @returns the reserved amount
   * @throws AppError insufficient_user_quota, insufficient_token_quota, or the ceiling's refusal
   */
  take(request: HoldRequest): number
  /** Puts a reservation of an earlier process back, whatever the balance is. */
  restore(request: Pick<HoldRequest, 'requestId' | 'userId' | 'tokenId' | 'amount'>): void
  takeMore(requestId: string, amount: number): boolean
  /** The part of the cost that the reservation and the rest of the balance cover. */
  payable(requestId: string, cost: number): number
  /** 0: no such reservation. */
  heldFor(requestId: string): number
  /** Ends a reservation with a charge. `false`: it had already ended. */
  resolve(requestId: string, amount: number): boolean
  /** `null`: no such account, or not loaded. */
  balanceOf(userId: number): number | null
  /** `null`: no such token, or not loaded. */
  limitOf(tokenId: number): TokenQuota | null
  add(userId: number, amount: number): void
  /** Number of open reservations. */
  openHolds(): number
  setToken(tokenId: number, quota: NewTokenQuota): void
}

/** Users and tokens in memory; beyond it unused ones are dropped and read again when needed. */
const loadedMax = 200_000
/** Maximum entries that one load examines to find unused ones, so that no load takes long. */
const lookedAtMax = 64

export function createAccounts(store: Pick<LedgerStore, 'read'>, max = loadedMax): Accounts {
  const users = new Map<number, Balance>()
  const limits = new Map<number, Limit>()
  const holds = new Map<string, OpenHold>()

  function available(userId: number, tokenId: number): { user: Balance; limit: Limit } {
    const user = users.get(userId)
    const limit = limits.get(tokenId)
    if (user === undefined || limit === undefined) throw new AppError('token_invalid')
    return { user, limit }
  }

  function reserve(requestId: string, hold: OpenHold): void {
    const { user, limit, amount } = hold
    user.held += amount
    limit.held += amount
    user.uses += 1
    limit.uses += 1
    holds.set(requestId, hold)
  }

  function keep(userId: number, tokenId: number): () => void {
    const user = users.get(userId)
    const limit = limits.get(tokenId)
    if (user !== undefined) user.uses += 1
    if (limit !== undefined) limit.uses += 1
    return () => {
      if (user !== undefined) user.uses -= 1
      if (limit !== undefined) limit.uses -= 1
    }
  }

  return {
    isLoaded: (userId, tokenId) => users.has(userId) && limits.has(tokenId),
    keep,
    async load(userId, tokenId) {
      let letGo = nothing
      await store.read({ userId, tokenId }, ({ balance, limit }) => {
        // An entry in memory is newer than the store and is kept.
        if (balance !== null && !users.has(userId)) users.set(userId, { balance, held: 0, uses: 0 })
        if (limit !== null && !limits.has(tokenId)) limits.set(tokenId, { ...limit, held: 0, uses: 0 })
        letGo = keep(userId, tokenId)
        if (users.size + limits.size <= max) return
        forgetUnused(users)
        forgetUnused(limits)
      })
      return letGo
    },
    take({ requestId, userId, tokenId, amount: wanted, least = wanted, ceiling = null }) {
      const { user, limit } = available(userId, tokenId)
      const refusal = refusalOf({ user, limit, ceiling }, least)
      if (refusal !== null) throw refusal
      const amount = Math.min(wanted, roomOf({ user, limit, ceiling }))
      reserve(requestId, { user, limit, ceiling, amount })
      return amount
    },
    restore({ requestId, userId, tokenId, amount }) {
      // A token may have been deleted since; what is charged to it then counts nowhere.
      const user = users.get(userId) ?? { balance: 0, held: 0, uses: 0 }
      const limit = limits.get(tokenId) ?? { remain: 0, isUnlimited: true, used: 0, forms: '', held: 0, uses: 0 }
      reserve(requestId, { user, limit, ceiling: null, amount })
    },
    takeMore(requestId, amount) {
      const hold = holds.get(requestId)
      if (hold === undefined) return false
      const { user, limit } = hold
      if (refusalOf(hold, amount) !== null) return false
      user.held += amount
      limit.held += amount
      hold.amount += amount
      return true
    },
    payable(requestId, cost) {
      const hold = holds.get(requestId)
      if (hold === undefined) return cost
      const { user, amount } = hold
      return Math.min(cost, amount + Math.max(0, user.balance - user.held))
    },
    heldFor: (requestId) => holds.get(requestId)?.amount ?? 0,
    resolve(requestId, amount) {
      const hold = holds.get(requestId)
      if (hold === undefined) return false
      holds.delete(requestId)
      hold.user.held -= hold.amount
      hold.limit.held -= hold.amount
      hold.user.uses -= 1
      hold.limit.uses -= 1
      hold.user.balance -= amount
      if (!hold.limit.isUnlimited) hold.limit.remain -= amount
      hold.limit.used += amount
      return true
    },
    balanceOf: (userId) => users.get(userId)?.balance ?? null,
    limitOf: (tokenId) => limits.get(tokenId) ?? null,
    add(userId, amount) {
      const user = users.get(userId)
      if (user !== undefined) user.balance += amount
    },
    openHolds: () => holds.size,
    setToken(tokenId, quota) {
      const limit = limits.get(tokenId)
      if (limit !== undefined) Object.assign(limit, quota)
    },
  }
}

/** Why the reservation is refused; `null`: it is possible. */
function refusalOf({ user, limit, ceiling }: Omit<OpenHold, 'amount'>, amount: number): Error | null {
  if (user.balance - user.held < amount) return new AppError('insufficient_user_quota')
  if (!limit.isUnlimited && limit.remain - limit.held < amount) return new AppError('insufficient_token_quota')
  return ceiling === null || limit.used + limit.held + amount <= ceiling.usedMax ? null : ceiling.refusal()
}

/** The largest amount that can be reserved. */
function roomOf({ user, limit, ceiling }: Omit<OpenHold, 'amount'>): number {
  const ofToken = limit.isUnlimited ? Number.POSITIVE_INFINITY : limit.remain - limit.held
  const ofCeiling = ceiling === null ? Number.POSITIVE_INFINITY : ceiling.usedMax - limit.used - limit.held
  return Math.min(user.balance - user.held, ofToken, ofCeiling)
}

const nothing = (): void => {}

/** Drops unused entries, oldest first. An entry in use moves to the end, so that it is not examined every time. */
function forgetUnused<Entry extends Kept>(entries: Map<number, Entry>): void {
  let left = lookedAtMax
  for (const [id, entry] of entries) {
    entries.delete(id)
    if (entry.uses > 0) entries.set(id, entry)
    left -= 1
    if (left === 0) return
  }
}
