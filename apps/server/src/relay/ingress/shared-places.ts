import type { Db } from '../../db/connect.ts'
import type { Clock } from '../../lib/clock.ts'
import { exchangePlaces } from './place-queries.ts'
import { busy, type GiveBack, type TokenPlaces } from './token-places.ts'

/** One token whose requests run on this node, or did just now. */
interface Standing {
  readonly tokenId: number
  /** Places that no other node can take. */
  granted: number
  /** Those of them that requests have. */
  open: number
  waiting: number
  /** The limit, as the last request knew it. */
  places: number
  asking: Promise<void> | null
  /** Whether the unused places are about to be given back. */
  isReturning: boolean
  /** The last question got no response: the database may count more for this node than it has. */
  isUncertain: boolean
}

interface SharedDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The node's start. */
  readonly epoch: number
}

/** Places that nobody uses stay this long, so that a client that sends one request after another asks the database once. */
const keptMs = 50
/** How long a request waits for places that another node does not use any more. Longer than these stay there. */
const waitMs = 500
const pauseMs = 40

/**
 * Places over all nodes. The database grants a node no more than others leave, and the node gives back what it does not use; what a dead node
 * had counts no longer. So all nodes together never run more than the limit.
 */
export function sharedPlaces({ db, clock, epoch }: SharedDeps): TokenPlaces {
  const standings = new Map<number, Standing>()

  function standingOf(tokenId: number, places: number): Standing {
    const known = standings.get(tokenId)
    if (known !== undefined) return Object.assign(known, { places })
    const fresh: Standing = { tokenId, granted: 0, open: 0, waiting: 0, places, asking: null, isReturning: false, isUncertain: false }
    standings.set(tokenId, fresh)
    return fresh
  }

  function takeGranted(standing: Standing): GiveBack | null {
    if (standing.open >= Math.min(standing.granted, standing.places)) return null
    standing.open += 1
    return () => {
      standing.open -= 1
      returnSoon(standing)
    }
  }

  /** Requests that come together share a question, which also gives back what is not used. @throws AppError database_unavailable */
  function exchanged(standing: Standing): Promise<void> {
    standing.asking ??= exchange(standing).finally(() => {
      standing.asking = null
    })
    return standing.asking
  }

  async function exchange(standing: Standing): Promise<void> {
    const { tokenId, places, open } = standing
    const requested = open + standing.waiting
    // Until the response, no more is used than the database counts for this node before and after the question.
    standing.granted = Math.min(standing.granted, requested)
    standing.isUncertain = true
    standing.granted = await exchangePlaces(db, { tokenId, epoch, open, requested, places })
    standing.isUncertain = false
  }

  function returnSoon(standing: Standing): void {
    if (standing.isReturning) return
    standing.isReturning = true
    setTimeout(() => void giveBackUnused(standing), keptMs).unref()
  }

  async function giveBackUnused(standing: Standing): Promise<void> {
    standing.isReturning = false
    // More are open than granted if the limit was lowered while the question was on its way.
    const differs = (): boolean => standing.granted !== standing.open || standing.isUncertain
    // While the database cannot be reached, the places stay here; it is tried again.
    if (standing.asking === null && differs()) await exchanged(standing).catch(() => {})
    if (differs()) return returnSoon(standing)
    if (standing.granted === 0 && standing.waiting === 0 && standing.asking === null) standings.delete(standing.tokenId)
  }

  /** @throws AppError token_busy, database_unavailable */
  async function wait(standing: Standing): Promise<GiveBack> {
    const untilMs = clock.monotonicMs() + waitMs
    standing.waiting += 1
    try {
      for (;;) {
        const isAsked = standing.asking !== null
        await exchanged(standing)
        const taken = takeGranted(standing)
        if (taken !== null) return taken
        // That question did not count this request.
        if (isAsked) continue
        // All are used here: no other node has one to give back.
        if (standing.open >= standing.places || clock.monotonicMs() >= untilMs) throw busy(standing.places)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    } finally {
      standing.waiting -= 1
      returnSoon(standing)
    }
  }

  return {
    take(tokenId, places) {
      const standing = standingOf(tokenId, places)
      if (standing.open >= places) throw busy(places)
      return takeGranted(standing) ?? wait(standing)
    },
  }
}
