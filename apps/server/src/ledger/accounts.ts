import { AppError } from '../lib/app-error.ts'
import type { Ceiling, HoldRequest, NewTokenQuota, TokenQuota } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'

/** What stays in memory as long as somebody needs it. */
interface Kept {
  /** Open reservations, changes that are not committed yet, and whoever has loaded it and not looked at it yet. */
  uses: number
}

interface Balance extends Kept {
  /** Committed or decided to be; the store follows in order. */
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

/** Balances, token limits and open reservations in memory: every decision about quota is a synchronous look at these. */
export interface Accounts {
  isLoaded(userId: number, tokenId: number): boolean
  /**
   * Reads what is not in memory yet. Reading and keeping happen inside one turn of the store, so no commit falls between them.
   * @returns to be called when it may be forgotten again
   */
  load(userId: number, tokenId: number): Promise<() => void>
  /** Keeps in memory what is there of these. @returns to be called when it may be forgotten again */
  keep(userId: number, tokenId: number): () => void
  /**
   * Reserves the amount, or as much of it as there is where that is enough.
   * @returns what was reserved
   * @throws AppError insufficient_user_quota, insufficient_token_quota, or the refusal of the ceiling
   */
  take(request: HoldRequest): number
  takeMore(requestId: string, amount: number): boolean
  /** How much of this cost the reservation and the rest of the balance can pay. */
  payable(requestId: string, cost: number): number
  /** 0: there is no such reservation. */
  heldFor(requestId: string): number
  /** Ends a reservation and charges. `false`: it has ended before. */
  resolve(requestId: string, amount: number): boolean
  /** `null`: there is no such account, or it is not loaded. */
  balanceOf(userId: number): number | null
  /** `null`: there is no such token, or it is not loaded. */
  limitOf(tokenId: number): TokenQuota | null
  add(userId: number, amount: number): void
  /** Reservations that have not ended. */
  openHolds(): number
  setToken(tokenId: number, quota: NewTokenQuota): void
}

/** Users and tokens kept at the same time; beyond it those that nobody uses are read again when they come back. */
const loadedMax = 200_000
/** Most that one load looks at to find some that can be forgotten: what it takes is noticed by nobody. */
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

  function keep(userId: number, tokenId: number): () => void {
    const kept = [users.get(userId), limits.get(tokenId)].filter((entry) => entry !== undefined)
    for (const entry of kept) entry.uses += 1
    return () => {
      for (const entry of kept) entry.uses -= 1
    }
  }

  return {
    isLoaded: (userId, tokenId) => users.has(userId) && limits.has(tokenId),
    keep,
    async load(userId, tokenId) {
      let letGo = nothing
      await store.read({ userId, tokenId }, ({ balance, limit }) => {
        // What is in memory is newer than the store and stays.
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
      user.held += amount
      limit.held += amount
      user.uses += 1
      limit.uses += 1
      holds.set(requestId, { user, limit, ceiling, amount })
      return amount
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

/** Why there cannot be one more reservation; `null` = there can. */
function refusalOf({ user, limit, ceiling }: Omit<OpenHold, 'amount'>, amount: number): Error | null {
  if (user.balance - user.held < amount) return new AppError('insufficient_user_quota')
  if (!limit.isUnlimited && limit.remain - limit.held < amount) return new AppError('insufficient_token_quota')
  return ceiling === null || limit.used + limit.held + amount <= ceiling.usedMax ? null : ceiling.refusal()
}

/** The most that one more reservation could have. */
function roomOf({ user, limit, ceiling }: Omit<OpenHold, 'amount'>): number {
  const ofToken = limit.isUnlimited ? Number.POSITIVE_INFINITY : limit.remain - limit.held
  const ofCeiling = ceiling === null ? Number.POSITIVE_INFINITY : ceiling.usedMax - limit.used - limit.held
  return Math.min(user.balance - user.held, ofToken, ofCeiling)
}

const nothing = (): void => {}

/** Of those that were read first. What is in use goes to the end, so that it is not looked at again each time. */
function forgetUnused<Entry extends Kept>(entries: Map<number, Entry>): void {
  let left = lookedAtMax
  for (const [id, entry] of entries) {
    entries.delete(id)
    if (entry.uses > 0) entries.set(id, entry)
    left -= 1
    if (left === 0) return
  }
}
