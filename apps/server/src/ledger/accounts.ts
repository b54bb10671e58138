import { AppError } from '../lib/app-error.ts'
import type { Ceiling, HoldRequest } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'

interface Balance {
  /** Committed or decided to be; the store follows in order. */
  balance: number
  held: number
}

interface Limit {
  remain: number
  isUnlimited: boolean
  used: number
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
  /** Reads what is not in memory yet. Reading and keeping happen inside one turn of the store, so no commit falls between them. */
  load(userId: number, tokenId: number): Promise<void>
  /** @throws AppError insufficient_user_quota, insufficient_token_quota, or the refusal of the ceiling */
  take(request: HoldRequest): void
  takeMore(requestId: string, amount: number): boolean
  /** Ends a reservation and charges. `false`: it has ended before. */
  resolve(requestId: string, amount: number): boolean
  /** `null`: there is no such account, or it is not loaded. */
  balanceOf(userId: number): number | null
  /** All that a token has spent. */
  usedOf(tokenId: number): number
  add(userId: number, amount: number): void
  /** Reservations that have not ended. */
  openHolds(): number
  setToken(tokenId: number, quota: { readonly remain: number; readonly isUnlimited: boolean }): void
}

/** Accounts kept at the same time; beyond it the idle ones are read again when they come back. */
const loadedMax = 200_000

export function createAccounts(store: LedgerStore, isQuiet: () => boolean): Accounts {
  const users = new Map<number, Balance>()
  const limits = new Map<number, Limit>()
  const holds = new Map<string, OpenHold>()

  function available(userId: number, tokenId: number): { user: Balance; limit: Limit } {
    const user = users.get(userId)
    const limit = limits.get(tokenId)
    if (user === undefined || limit === undefined) throw new AppError('token_invalid')
    return { user, limit }
  }

  return {
    isLoaded: (userId, tokenId) => users.has(userId) && limits.has(tokenId),
    load(userId, tokenId) {
      return store.read({ userId, tokenId }, ({ balance, limit }) => {
        // Only when nothing waits to be committed does the store hold all that memory knows of an idle account.
        if (users.size + limits.size > loadedMax && isQuiet()) forgetIdle(users, limits)
        // What is in memory is newer than the store and stays.
        if (balance !== null && !users.has(userId)) users.set(userId, { balance, held: 0 })
        if (limit !== null && !limits.has(tokenId)) limits.set(tokenId, { ...limit, held: 0 })
      })
    },
    take({ requestId, userId, tokenId, amount, ceiling = null }) {
      const { user, limit } = available(userId, tokenId)
      const refusal = refusalOf({ user, limit, ceiling }, amount)
      if (refusal !== null) throw refusal
      user.held += amount
      limit.held += amount
      holds.set(requestId, { user, limit, ceiling, amount })
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
    resolve(requestId, amount) {
      const hold = holds.get(requestId)
      if (hold === undefined) return false
      holds.delete(requestId)
      hold.user.held -= hold.amount
      hold.limit.held -= hold.amount
      hold.user.balance -= amount
      if (!hold.limit.isUnlimited) hold.limit.remain -= amount
      hold.limit.used += amount
      return true
    },
    balanceOf: (userId) => users.get(userId)?.balance ?? null,
    usedOf: (tokenId) => limits.get(tokenId)?.used ?? 0,
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

function forgetIdle(...maps: ReadonlyArray<Map<number, { readonly held: number }>>): void {
  for (const map of maps) {
    for (const [id, { held }] of map) if (held === 0) map.delete(id)
  }
}
