import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Accounts, Lack } from './accounts.ts'
import type { LeaseAsk, LeaseResult, Operation } from './commit.ts'
import type { HoldRequest, QuotaRequest } from './ledger.ts'
import type { SharedStore } from './ledger-store.ts'
import { type Payer, tooLittle } from './quota-rules.ts'

/**
 * The parts of balances that this node may spend. They are requested before they are used up, so that a request seldom waits; what
 * another node lacks is given back when it asks.
 */
export interface Leases {
  /**
   * Resolves when the leases cover the least amount of a request.
   * @throws AppError if the whole balance does not cover it, or the account or the token does not exist
   */
  fund(request: QuotaRequest): Promise<void>
  /** Resolves when the leases cover an amount more of a reservation, or nothing more can be had. */
  fundMore(hold: Pick<HoldRequest, 'requestId' | 'userId' | 'tokenId'>, amount: number): Promise<void>
  /** Asks for more in the background if little is left. */
  keepUp(request: HoldRequest): void
  /** Called with the responses of a batch, before anything else is read or committed. */
  responded(responses: readonly LeaseResult[]): void
  /** Gives back what was dropped from memory. */
  dropped(payer: Payer, free: number): void
  /** Gives back what other nodes recalled. */
  giveBackRecalled(): Promise<void>
  /** Gives back what has not been used for a while. */
  giveBackIdle(): void
}

interface LeasesDeps {
  readonly accounts: Accounts
  readonly shared: SharedStore
  readonly clock: Clock
  readonly commit: (operation: Operation) => Promise<boolean>
}

/** How long a request waits for other nodes to give back what they do not use. */
const recallMs = 2_000
/** Pauses between its asks. */
const pausesMs = [20, 50, 100, 200] as const
/** How long a node keeps nothing back that becomes free after another node recalled it. */
const tightMs = 2_000
/** A new lease covers so many requests like the one that asks for it. */
const aheadRequests = 8
/** Spending that a lease covers. */
const aheadMs = 10_000
/** An unused lease is given back after this time. */
const idleMs = 30_000

/** What is known of the lease of an account or a token. */
interface Standing {
  readonly payer: Payer
  /** Ends when no ask is under way. */
  asking: Promise<LeaseResult | null> | null
  /** The last response. */
  last: LeaseResult | null
  /** What was left when the last response came. */
  free: number
  /** Monotonic milliseconds. */
  respondedMs: number
  usedMs: number
  tightUntilMs: number
  /** What the last ask needed. */
  needed: number
  /** What the requests that wait need together. */
  waiting: number
}

export function createLeases({ accounts, shared, clock, commit }: LeasesDeps): Leases {
  const standings = new Map<string, Standing>()
  const nameOf = ({ of, id }: Payer): string => `${of} ${id}`

  function standingOf(payer: Payer): Standing {
    const name = nameOf(payer)
    const known = standings.get(name)
    if (known !== undefined) return known
    const nowMs = clock.monotonicMs()
    const { of, id } = payer
    const fresh: Standing = {
      payer: { of, id },
      asking: null,
      last: null,
      free: 0,
      respondedMs: nowMs,
      usedMs: nowMs,
      tightUntilMs: 0,
      needed: 0,
      waiting: 0,
    }
    standings.set(name, fresh)
    return fresh
  }

  /** One ask of an account or a token at a time; those that come meanwhile see what it brings first. */
  function ask(standing: Standing, request: Omit<LeaseAsk, 'of' | 'id'>): Promise<LeaseResult | null> {
    standing.last = null
    standing.needed = request.need
    standing.asking = commit({ do: 'lease', ask: { ...standing.payer, ...request } })
      .then(() => standing.last)
      .finally(() => {
        standing.asking = null
      })
    return standing.asking
  }

  /** The most that is requested: what was spent lately, for some seconds. The only node asks for everything. */
  function wantOf({ payer, free, respondedMs }: Standing, amount: number): number {
    if (shared.nodes() === 1) return Number.MAX_SAFE_INTEGER
    const spent = Math.max(0, free - (accounts.freeOf(payer) ?? 0))
    const elapsedMs = Math.max(aheadMs / 10, clock.monotonicMs() - respondedMs)
    return Math.ceil(aheadRequests * amount + (spent * aheadMs) / elapsedMs)
  }

  const isTight = ({ tightUntilMs }: Standing): boolean => clock.monotonicMs() < tightUntilMs

  /** Whether an ask for more is due: less than half is left. After a response without a grant, another ask at once is of little use. */
  function isLow(standing: Standing): boolean {
    const { payer, asking, last, free, respondedMs, usedMs } = standing
    if (asking !== null || isTight(standing) || (accounts.freeOf(payer) ?? 0) > free / 2) return false
    return last?.granted !== 0 || usedMs - respondedMs > tightMs
  }

  /** @returns `undefined`: another ask was under way, after which the lease may suffice; `null`: there is no such row */
  async function askFor(
    payer: Payer,
    need: number,
    { amount, ceiling = null }: Pick<HoldRequest, 'amount' | 'ceiling'>,
  ): Promise<LeaseResult | null | undefined> {
    const standing = standingOf(payer)
    if (standing.asking !== null) {
      const response = await standing.asking
      // If an ask for no more than this got nothing, this one would get nothing either.
      const isResponded = response?.granted === 0 && standing.needed > 0 && standing.needed <= need
      return isResponded ? response : undefined
    }
    const least = Math.max(standing.waiting, need, isTight(standing) ? 0 : amount)
    return await ask(standing, {
      need,
      amount: least,
      want: isTight(standing) ? least : wantOf(standing, amount),
      usedMax: ceiling === null ? null : ceiling.usedMax,
      giveBack: 0,
    })
  }

  /** Asks until nothing is lacking. @returns the responses that show that no node has it, or the last ones after a while; `null`: done */
  async function askWhileLacking(lackOf: () => Lack, request: QuotaRequest): Promise<LeaseResults | null> {
    const untilMs = clock.monotonicMs() + recallMs
    const waitsFor = payersOf(request).map(standingOf)
    const { least = request.amount } = request
    for (const standing of waitsFor) standing.waiting += least
    try {
      return await askUntil(untilMs, lackOf, request)
    } finally {
      for (const standing of waitsFor) standing.waiting -= least
    }
  }

  async function askUntil(untilMs: number, lackOf: () => Lack, request: QuotaRequest): Promise<LeaseResults | null> {
    for (let tries = 0; ; ) {
      const lack = lackOf()
      const lacking = payersOf(request).filter((payer) => lack[payer.of] > 0 || accounts.freeOf(payer) === null)
      if (lacking.length === 0) return null
      const responses = await Promise.all(lacking.map((payer) => askFor(payer, lack[payer.of], request)))
      if (responses.includes(null)) throw new AppError('token_invalid')
      const left = lackOf()
      const grants = responses.filter((response) => response !== null && response !== undefined).filter(({ of }) => left[of] > 0)
      if (grants.length === 0) continue
      if (grants.some((response) => isSpent(response, left[response.of])) || clock.monotonicMs() >= untilMs) return grants
      await pause(tries++)
    }
  }

  return {
    async fund(request) {
      const responses = await askWhileLacking(() => accounts.lackOf(request), request)
      if (responses !== null) throw refusalOf(request, responses, (payer) => accounts.freeOf(payer) ?? 0)
    },
    async fundMore({ requestId, userId, tokenId }, amount) {
      const ceiling = accounts.ceilingOf(requestId)
      await askWhileLacking(() => accounts.lackOfMore(requestId, amount), { userId, tokenId, amount, ceiling })
    },
    keepUp(request) {
      const { amount, ceiling = null } = request
      for (const payer of payersOf(request)) {
        const standing = standingOf(payer)
        standing.usedMs = clock.monotonicMs()
        // A token without limits has no lease.
        if (!isLow(standing) || (payer.of === 'token' && accounts.ofToken(request.requestId) === 0)) continue
        const usedMax = ceiling === null ? null : ceiling.usedMax
        void ask(standing, { need: 0, amount: 0, want: wantOf(standing, amount), usedMax, giveBack: 0 }).catch(() => {})
      }
    },
    responded(responses) {
      for (const response of responses) {
        const standing = standings.get(nameOf(response))
        if (standing === undefined) {
          // It was dropped from memory meanwhile.
          if (response.granted > 0) giveBack(response, response.granted)
          continue
        }
        accounts.fund(response)
        standing.last = response
        standing.free = accounts.freeOf(response) ?? 0
        standing.respondedMs = clock.monotonicMs()
      }
    },
    dropped(payer, free) {
      standings.delete(nameOf(payer))
      if (free > 0) giveBack(payer, free)
    },
    async giveBackRecalled() {
      for (const payer of await shared.recalled()) {
        const standing = standingOf(payer)
        standing.tightUntilMs = clock.monotonicMs() + tightMs
        accounts.setTight(payer, true)
        // Also while this node asks itself: two nodes that wait for each other's rest would wait in vain. It clears the mark in any case.
        giveBack(payer, accounts.draw(payer))
      }
      for (const standing of standings.values()) if (standing.tightUntilMs > 0 && !isTight(standing)) relax(standing)
    },
    giveBackIdle() {
      if (shared.nodes() === 1) return
      const beforeMs = clock.monotonicMs() - idleMs
      for (const standing of standings.values()) {
        if (standing.usedMs > beforeMs || standing.asking !== null || (accounts.freeOf(standing.payer) ?? 0) === 0) continue
        void ask(standing, { ...emptyAsk, giveBack: accounts.draw(standing.payer) }).catch(() => {})
      }
    },
  }

  function giveBack({ of, id }: Payer, amount: number): void {
    void commit({ do: 'lease', ask: { of, id, ...emptyAsk, giveBack: amount } }).catch(() => {})
  }

  function relax(standing: Standing): void {
    standing.tightUntilMs = 0
    accounts.setTight(standing.payer, false)
  }
}

const emptyAsk = { need: 0, amount: 0, want: 0, usedMax: null, giveBack: 0 } as const

type LeaseResults = readonly LeaseResult[]

const payersOf = ({ userId, tokenId }: QuotaRequest): readonly Payer[] => [
  { of: 'user', id: userId },
  { of: 'token', id: tokenId },
]

/** Whether no node has what is lacking. */
function isSpent({ recalled, pool }: LeaseResult, lacking: number): boolean {
  return recalled === 0 && pool < lacking
}

/** What a node has that may be dead goes back soon; until then it is not known whether the quota suffices. */
function refusalOf(request: QuotaRequest, responses: LeaseResults, freeOf: (payer: Payer) => number): Error {
  const { userId, tokenId, amount, least = amount, ceiling = null } = request
  if (responses.some(({ silent }) => silent > 0)) return new AppError('database_unavailable', { retryAfterSeconds: 5 })
  const ofUser = responses.find(({ of }) => of === 'user')
  const ofToken = responses.find(({ of }) => of === 'token')
  if (ofToken === undefined || ofUser !== undefined)
    return tooLittle('user', least, freeOf({ of: 'user', id: userId }) + (ofUser?.pool ?? 0))
  if (ceiling !== null && ofToken.remainPool > ofToken.pool) return ceiling.refusal()
  return tooLittle('token', least, freeOf({ of: 'token', id: tokenId }) + ofToken.pool)
}

function pause(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pausesMs[Math.min(tries, pausesMs.length - 1)]))
}
