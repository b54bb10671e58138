import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { TokenLimits } from '../model/caller.ts'
import { type Count, exchangeMinutes, type MinuteQuestion, type MinuteResult } from './minute-queries.ts'
import { createMinute } from './minute-window.ts'
import { type Counted, checkLlmTokens, checkRequests, ratesOf, type TokenMinutes } from './token-minutes.ts'

/** How often nodes exchange what they have counted. */
export const exchangeMs = 1_000
/** A count of LLM tokens that is older than this is refreshed before a request is admitted. */
const freshMs = 1_500
/** Part of what remains of a limit that a node takes ahead: requests that others cannot use for a second. */
const shareTaken = 8
/** A token that no request has used for this long needs no exchange. */
const idleMs = 61_000
const tokensMax = 10_000
/** Tokens of one statement. */
const batchTokens = 500

/** One token as this node knows it. */
interface Standing {
  readonly tokenId: number
  limits: TokenLimits
  /** All nodes together, as of the last exchange, and what this one has counted since. */
  counted: Counted
  /** What no other node knows yet. */
  unsent: Count[]
  /** Requests that were granted ahead in this second and are not used. They are counted already. */
  grant: { readonly second: number; left: number }
  waiting: number
  enteredAtMs: number
  exchangedAtMs: number
  exchanging: Promise<void> | null
}

interface SharedDeps {
  readonly db: Db
  /** The database's, which all nodes share. */
  readonly clock: Pick<Clock, 'nowMs'>
}

/**
 * Counts over all nodes. Requests are granted ahead by the database, a part of what remains at a time, and a grant is used within a second or
 * given back: so all nodes together never admit more than the limit, and most requests ask nobody. LLM tokens are known only at the end of an
 * response; nodes exchange them each second, so what runs over a limit is what other nodes have counted in the last second. While
 * the database cannot be reached, each node counts by itself from what it knew last.
 */
export function sharedMinutes({ db, clock }: SharedDeps): TokenMinutes {
  const standings = new Map<number, Standing>()
  const second = (): number => Math.floor(clock.nowMs() / 1000)

  function standingOf(tokenId: number, limits: TokenLimits): Standing {
    const known = standings.get(tokenId)
    if (known !== undefined) return Object.assign(known, { limits })
    if (standings.size >= tokensMax) forgetIdle()
    const fresh: Standing = {
      ...{ tokenId, limits, counted: countedOf([]), unsent: [], grant: { second: 0, left: 0 }, waiting: 0 },
      ...{ enteredAtMs: 0, exchangedAtMs: Number.NEGATIVE_INFINITY, exchanging: null },
    }
    standings.set(tokenId, fresh)
    return fresh
  }

  const isIdle = ({ enteredAtMs, waiting, unsent, grant }: Standing): boolean =>
    waiting === 0 && unsent.length === 0 && grant.left === 0 && clock.nowMs() - enteredAtMs > idleMs

  function forgetIdle(): void {
    for (const standing of standings.values()) if (isIdle(standing)) standings.delete(standing.tokenId)
  }

  function addTo(standing: Standing, [at, requests, llmTokens]: Count): void {
    addCount(standing.unsent, [at, requests, llmTokens])
    standing.counted.requests.add(at, requests)
    standing.counted.llmTokens.add(at, llmTokens)
  }

  function takeGranted({ grant }: Standing): boolean {
    if (grant.left === 0 || second() - grant.second > 1) return false
    grant.left -= 1
    return true
  }

  /** @throws AppError token_requests_limited */
  async function takeRequest(standing: Standing): Promise<void> {
    while (!takeGranted(standing)) {
      standing.waiting += 1
      const isShared = await exchanged(standing).finally(() => {
        standing.waiting -= 1
      })
      if (takeGranted(standing)) return
      checkRequests(standing.counted, standing.limits, second())
      if (!isShared) return addTo(standing, [second(), 1, 0])
    }
  }

  /** Requests of one token that come together share an exchange. `false`: the database cannot be reached. */
  async function exchanged(standing: Standing): Promise<boolean> {
    standing.exchanging ??= exchangeAll([standing]).finally(() => {
      standing.exchanging = null
    })
    try {
      await standing.exchanging
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  async function exchangeAll(list: readonly Standing[]): Promise<void> {
    const now = second()
    const exchanges = list.map((standing) => ({ standing, question: questionOf(standing, now) }))
    const drained = exchanges.map(({ standing }) => standing.unsent.splice(0))
    try {
      const responses = await exchangeMinutes(
        db,
        exchanges.map(({ question }) => question),
        now,
      )
      for (const [place, response] of responses.entries()) takeOver(list[place], response, now)
    } catch (error) {
      for (const [place, { standing }] of exchanges.entries()) standing.unsent.unshift(...(drained[place] ?? []))
      throw error
    }
  }

  function takeOver(standing: Standing | undefined, { granted, minute }: MinuteResult, now: number): void {
    if (standing === undefined) return
    // What was counted while the question was on its way is not in the response.
    standing.counted = countedOf([...minute, ...standing.unsent])
    standing.grant = { second: now, left: granted }
    standing.exchangedAtMs = clock.nowMs()
  }

  return {
    async enter(tokenId, limits) {
      const standing = standingOf(tokenId, limits)
      standing.enteredAtMs = clock.nowMs()
      const isOld = clock.nowMs() - standing.exchangedAtMs > freshMs
      if (limits.tokensPerMinute > 0) {
        if (isOld) await exchanged(standing)
        checkLlmTokens(standing.counted, limits, second())
      }
      if (limits.requestsPerMinute > 0) await takeRequest(standing)
    },
    add(tokenId, at, llmTokens) {
      const standing = standings.get(tokenId)
      if (standing !== undefined && standing.limits.tokensPerMinute > 0 && llmTokens !== 0) addTo(standing, [at, 0, llmTokens])
    },
    second,
    rates(tokenId, limits) {
      const standing = standings.get(tokenId)
      const rates = standing === undefined ? null : ratesOf(standing.counted, limits, second())
      if (rates === null || rates.requests === null) return rates
      const { requests } = rates
      return { ...rates, requests: { ...requests, remaining: Math.min(requests.limit, requests.remaining + (standing?.grant.left ?? 0)) } }
    },
    async exchange() {
      const due = [...standings.values()].filter((standing) => standing.exchanging === null && needsExchange(standing, clock.nowMs()))
      const inOrder = due.toSorted((one, other) => one.tokenId - other.tokenId)
      for (let start = 0; start < inOrder.length; start += batchTokens) {
        const batch = inOrder.slice(start, start + batchTokens)
        // What could not be sent now is sent in the next second.
        const exchanging = exchangeAll(batch).catch(() => {})
        for (const standing of batch) standing.exchanging = exchanging
        await exchanging
        for (const standing of batch) standing.exchanging = null
      }
    },
  }
}

/** Whether others must know something of it, or its LLM tokens elsewhere. */
function needsExchange({ unsent, grant, limits, enteredAtMs }: Standing, nowMs: number): boolean {
  const isUsed = limits.tokensPerMinute > 0 && nowMs - enteredAtMs < idleMs
  return unsent.length > 0 || isUsed || (grant.left > 0 && Math.floor(nowMs / 1000) > grant.second)
}

/** Gives back what was granted and not used. */
function questionOf(standing: Standing, now: number): MinuteQuestion {
  const { tokenId: token, limits, counted, waiting, grant } = standing
  if (grant.left > 0) addCount(standing.unsent, [grant.second, -grant.left, 0])
  grant.left = 0
  const { requestsPerMinute: limit } = limits
  const share = Math.floor((limit - counted.requests.sum(now)) / shareTaken)
  return { token, limit, requested: waiting === 0 ? 0 : Math.max(waiting, share), changes: [...standing.unsent] }
}

/** One entry for each second. */
function addCount(counts: Count[], [at, requests, llmTokens]: Count): void {
  const place = counts.findLastIndex(([known]) => known === at)
  const [, knownRequests, knownTokens] = counts[place] ?? [at, 0, 0]
  counts.splice(place < 0 ? counts.length : place, 1, [at, knownRequests + requests, knownTokens + llmTokens])
}

function countedOf(counts: readonly Count[]): Counted {
  const counted = { requests: createMinute(), llmTokens: createMinute() }
  for (const [at, requests, llmTokens] of counts) {
    counted.requests.add(at, requests)
    counted.llmTokens.add(at, llmTokens)
  }
  return counted
}
