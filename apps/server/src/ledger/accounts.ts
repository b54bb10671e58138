import { AppError } from '../lib/app-error.ts'
import { ShortLivedMap } from '../lib/short-lived-map.ts'
import type { Ceiling, HoldRequest, NewTokenQuota, QuotaRequest, TokenQuota } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import {
  type Balance,
  type Freed,
  type Funds,
  freeOf,
  freeOfLimit,
  type HoldTarget,
  type Limit,
  nothingFreed,
  type OpenHold,
  type Payer,
  type QuotaRules,
  wholeQuota,
} from './quota-rules.ts'

/** What a lease lacks for a request. */
export interface Lack {
  readonly user: number
  readonly token: number
}

/** The end of a reservation. */
interface Ended {
  readonly hold: Pick<HoldRequest, 'requestId' | 'userId' | 'tokenId'>
  readonly freed?: Freed
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
  /** @throws AppError as `take`, if the least amount of the request cannot be reserved */
  assertPayable(request: QuotaRequest): void
  /** Puts a reservation of an earlier process back, whatever the balance is. */
  restore(request: Pick<HoldRequest, 'requestId' | 'userId' | 'tokenId' | 'amount'>): void
  takeMore(requestId: string, amount: number): boolean
  /** The part of the cost that the reservation and the rest of the balance cover. */
  payable(hold: Pick<HoldRequest, 'requestId' | 'userId' | 'amount'>, cost: number): number
  /** 0: no such reservation. */
  heldFor(requestId: string): number
  /** What a reservation could grow to by the whole balance, as far as this process knows it. */
  affordable(hold: Pick<HoldRequest, 'requestId' | 'amount'>): number
  /** Ends a reservation with a charge. @returns what that takes from the leases; `null`: it had already ended */
  resolve(requestId: string, amount: number): Freed | null
  /** Whether the leases do not suffice for a request. If they do, a limit may still refuse it. */
  isLacking(request: QuotaRequest): boolean
  /** The limit for a day or a month that a reservation obeys. */
  ceilingOf(requestId: string): Ceiling | null
  /** What a reservation takes of its token's lease. */
  ofToken(requestId: string): number
  /** Puts back what the end of a reservation took from leases, because it had ended before. */
  takeBack(ended: Ended): void
  /** What the end of a reservation spent is committed: from now on the store's amounts include it. */
  written(ended: Ended): void
  /**
   * Takes back the end of a reservation that will not be committed, and keeps what was reserved.
   * @param amount what it had charged @returns what the row of the reservation keeps, which has left the leases
   */
  keepHold(ended: Ended, amount: number): Freed
  /** What leases lack for the least amount of a request; both 0: nothing. */
  lackOf(request: QuotaRequest): Lack
  /** What leases lack for a reservation to grow by an amount; both 0: nothing. */
  lackOfMore(requestId: string, amount: number): Lack
  /** Adds to a lease what the store has granted. */
  fund(funds: Funds): void
  /** Takes from a lease what is not reserved. @returns the amount */
  draw(payer: Payer): number
  /** Whether quota that becomes free leaves the lease at once. */
  setTight(payer: Payer, isTight: boolean): void
  /** What is not reserved of a lease; `null`: not loaded. */
  freeOf(payer: Payer): number | null
  /** Takes a reservation and its quota out of memory: from now on it belongs to no process. @returns what left the leases */
  handOver(requestId: string): Freed
  /** Charges the part of a cost that a reservation outside of memory does not cover. @returns what that takes from the leases */
  spendBeyond(userId: number, excess: number): Freed
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

/** What a new entry has. */
const unused = { held: 0, uses: 0, isTight: false, unwritten: 0 } as const

interface AccountsDeps {
  readonly store: Pick<LedgerStore, 'read'>
  readonly rules?: QuotaRules
  /** Users and tokens in memory; smaller in tests. */
  readonly max?: number
  /** Called with what is left of a lease that is dropped from memory. */
  readonly dropped?: (payer: Payer, free: number) => void
}

export function createAccounts({ store, rules = wholeQuota, max = loadedMax, dropped = nothing }: AccountsDeps): Accounts {
  const users = new Map<number, Balance>()
  const limits = new Map<number, Limit>()
  const holds = new ShortLivedMap<OpenHold>()

  function available(userId: number, tokenId: number): { user: Balance; limit: Limit } {
    const user = users.get(userId)
    const limit = limits.get(tokenId)
    if (user === undefined || limit === undefined) throw new AppError('token_invalid')
    return { user, limit }
  }

  function reserve(requestId: string, hold: OpenHold): void {
    const { user, limit, amount, isOfToken } = hold
    user.held += amount
    if (isOfToken) limit.held += amount
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

  /** @throws AppError why the least amount of the request cannot be reserved */
  function holdTargetOf({ userId, tokenId, amount, least = amount, ceiling = null }: QuotaRequest): HoldTarget {
    const { user, limit } = available(userId, tokenId)
    const target = { user, limit, ceiling, isOfToken: rules.isOfToken(limit, ceiling) }
    const refusal = rules.refusalOf(target, least)
    if (refusal !== null) throw refusal
    return target
  }

  function lackOf({ userId, tokenId, amount, least = amount, ceiling = null }: QuotaRequest): Lack {
    const [user, limit] = [users.get(userId), limits.get(tokenId)]
    const isOfToken = limit === undefined || rules.isOfToken(limit, ceiling)
    return {
      user: user === undefined ? least : Math.max(0, least - freeOf(user)),
      token: !isOfToken ? 0 : limit === undefined ? least : Math.max(0, least - freeOfLimit(limit)),
    }
  }

  /** Ends the reservation in memory. */
  function letGoOf(requestId: string): OpenHold | null {
    const hold = holds.get(requestId)
    if (hold === undefined) return null
    holds.delete(requestId)
    hold.user.held -= hold.amount
    if (hold.isOfToken) hold.limit.held -= hold.amount
    hold.user.uses -= 1
    hold.limit.uses -= 1
    return hold
  }

  function forgetSome(): void {
    if (users.size + limits.size <= max) return
    forgetUnused(users, (id, user) => dropped({ of: 'user', id }, freeOf(user)))
    forgetUnused(limits, (id, limit) => dropped({ of: 'token', id }, freeOfLimit(limit)))
  }

  function fund({ of, id, granted, balance, limit }: Funds): void {
    if (limit === null || of === 'user') {
      const user = users.get(id) ?? { balance: 0, known: 0, ...unused }
      users.set(id, Object.assign(user, { balance: user.balance + granted, known: balance - user.unwritten }))
    } else {
      const known = limits.get(id) ?? { remain: 0, ...unused }
      const now = { used: limit.used + known.unwritten, known: limit.remain - known.unwritten, remain: known.remain + granted }
      limits.set(id, Object.assign(known, { ...limit, ...now }))
    }
    forgetSome()
  }

  return {
    isLoaded: (userId, tokenId) => users.has(userId) && limits.has(tokenId),
    keep,
    async load(userId, tokenId) {
      let unpin = nothing
      await store.read({ userId, tokenId }, ({ balance, limit }) => {
        // An entry in memory is newer than the store and is kept.
        if (balance !== null && !users.has(userId)) users.set(userId, { balance, known: balance, ...unused })
        if (limit !== null && !limits.has(tokenId)) limits.set(tokenId, { ...limit, known: limit.remain, ...unused })
        unpin = keep(userId, tokenId)
        forgetSome()
      })
      return unpin
    },
    take(request) {
      const { requestId, amount: requestedAmount } = request
      const target = holdTargetOf(request)
      const amount = Math.min(requestedAmount, rules.roomOf(target))
      reserve(requestId, { ...target, amount })
      return amount
    },
    assertPayable: (request) => void holdTargetOf(request),
    restore({ requestId, userId, tokenId, amount }) {
      // A token may have been deleted since; what is charged to it then counts nowhere.
      const user = users.get(userId) ?? { balance: 0, known: 0, ...unused }
      const limit = limits.get(tokenId) ?? { remain: 0, known: 0, isUnlimited: true, used: 0, forms: '', ...unused }
      reserve(requestId, { user, limit, ceiling: null, isOfToken: true, amount })
    },
    takeMore(requestId, amount) {
      const hold = holds.get(requestId)
      if (hold === undefined) return false
      const { user, limit, isOfToken } = hold
      if (rules.refusalOf(hold, amount) !== null) return false
      user.held += amount
      if (isOfToken) limit.held += amount
      hold.amount += amount
      return true
    },
    payable({ requestId, userId, amount }, cost) {
      const hold = holds.get(requestId)
      if (hold !== undefined) return Math.min(cost, hold.amount + freeOf(hold.user))
      if (rules === wholeQuota) return cost
      const user = users.get(userId)
      return Math.min(cost, amount + (user === undefined ? 0 : freeOf(user)))
    },
    heldFor: (requestId) => holds.get(requestId)?.amount ?? 0,
    affordable({ requestId, amount }) {
      const hold = holds.get(requestId)
      return hold === undefined ? amount : hold.amount + Math.max(0, rules.forecastOf(hold))
    },
    resolve(requestId, amount) {
      const hold = letGoOf(requestId)
      return hold === null ? null : { ...rules.spend(hold, amount), held: hold.amount, isOfToken: hold.isOfToken }
    },
    isLacking(request) {
      const { userId, tokenId } = request
      if (!users.has(userId) || !limits.has(tokenId)) return true
      const { user, token } = lackOf(request)
      return user > 0 || token > 0
    },
    ceilingOf: (requestId) => holds.get(requestId)?.ceiling ?? null,
    ofToken(requestId) {
      const hold = holds.get(requestId)
      return hold?.isOfToken ? hold.amount : 0
    },
    written({ hold: { userId, tokenId }, freed: { spent = 0 } = nothingFreed }) {
      if (spent === 0) return
      const [user, limit] = [users.get(userId), limits.get(tokenId)]
      if (user !== undefined) user.unwritten -= spent
      if (limit !== undefined) limit.unwritten -= spent
    },
    takeBack({ hold: { userId, tokenId }, freed }) {
      const [user, limit] = [users.get(userId), limits.get(tokenId)]
      if (user !== undefined && freed !== undefined) user.balance += freed.user
      if (limit !== undefined && freed !== undefined) limit.remain += freed.token
    },
    keepHold({ hold: { requestId, userId, tokenId }, freed = nothingFreed }, amount) {
      const { held, isOfToken = false } = freed
      const [user, limit] = [users.get(userId), limits.get(tokenId)]
      if (held === undefined || user === undefined || limit === undefined) return { user: freed.user, token: freed.token }
      if (rules.unspend({ user, limit }, amount)) {
        reserve(requestId, { user, limit, ceiling: null, isOfToken, amount: held })
        return nothingFreed
      }
      const ofUser = Math.min(Math.max(0, held - freed.user), freeOf(user))
      const ofToken = isOfToken ? Math.min(Math.max(0, held - freed.token), freeOfLimit(limit)) : 0
      user.balance -= ofUser
      limit.remain -= ofToken
      return { user: freed.user + ofUser, token: freed.token + ofToken }
    },
    lackOf,
    lackOfMore(requestId, amount) {
      const hold = holds.get(requestId)
      if (hold === undefined) return { user: 0, token: 0 }
      const { user, limit, isOfToken } = hold
      return { user: Math.max(0, amount - freeOf(user)), token: isOfToken ? Math.max(0, amount - freeOfLimit(limit)) : 0 }
    },
    fund,
    draw({ of, id }) {
      const [user, limit] = [users.get(id), limits.get(id)]
      if (of === 'user' && user !== undefined) {
        const free = freeOf(user)
        user.balance -= free
        return free
      }
      if (of === 'user' || limit === undefined) return 0
      const free = freeOfLimit(limit)
      limit.remain -= free
      return free
    },
    setTight({ of, id }, isTight) {
      const entry = of === 'user' ? users.get(id) : limits.get(id)
      if (entry !== undefined) entry.isTight = isTight
    },
    freeOf({ of, id }) {
      const [user, limit] = [users.get(id), limits.get(id)]
      if (of === 'user') return user === undefined ? null : freeOf(user)
      return limit === undefined ? null : freeOfLimit(limit)
    },
    handOver(requestId) {
      const hold = letGoOf(requestId)
      if (hold === null) return nothingFreed
      const { user, limit, amount, isOfToken } = hold
      user.balance -= amount
      if (isOfToken) limit.remain -= amount
      return { user: amount, token: isOfToken ? amount : 0 }
    },
    spendBeyond(userId, excess) {
      const user = users.get(userId)
      if (user === undefined || excess <= 0) return nothingFreed
      const ofUser = Math.min(excess, freeOf(user))
      user.balance -= ofUser
      return { user: ofUser, token: 0 }
    },
    balanceOf: (userId) => users.get(userId)?.known ?? null,
    limitOf: (tokenId) => limits.get(tokenId) ?? null,
    add(userId, amount) {
      const user = users.get(userId)
      if (user === undefined) return
      user.known += amount
      if (rules === wholeQuota) user.balance += amount
    },
    openHolds: () => holds.size,
    setToken(tokenId, quota) {
      const limit = limits.get(tokenId)
      if (limit !== undefined) Object.assign(limit, quota)
    },
  }
}

const nothing = (): void => {}

/** Drops unused entries, oldest first. An entry in use moves to the end, so that it is not examined every time. */
function forgetUnused<Entry extends { readonly uses: number }>(
  entries: Map<number, Entry>,
  forgotten: (id: number, entry: Entry) => void,
): void {
  let left = lookedAtMax
  for (const [id, entry] of entries) {
    entries.delete(id)
    if (entry.uses > 0) entries.set(id, entry)
    else forgotten(id, entry)
    left -= 1
    if (left === 0) return
  }
}
