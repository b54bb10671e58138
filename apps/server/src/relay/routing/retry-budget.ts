import type { Clock } from '../../lib/clock.ts'

/** Limits retries to a share of the requests, so that failing vendors do not get a multiple of the clients' load. */
export interface RetryBudget {
  /** Counts a client's request for the model. */
  countRequest(model: string): void
  /** Whether one more retry for the model may be made; `true` counts it. */
  take(model: string): boolean
}

/** Retries per request, within the window. */
const share = 0.2
const halfWindowMs = 5_000
/** Retries that are always free, so that a few requests can be retried: three a second. */
const freeInWindow = 30

interface Half {
  requests: number
  taken: number
}

interface Window {
  startMs: number
  now: Half
  before: Half
}

const nothing = (): Half => ({ requests: 0, taken: 0 })

export function createRetryBudget(clock: Clock): RetryBudget {
  /** By model name; only configured names get here. */
  const windows = new Map<string, Window>()

  function windowOf(model: string): Window {
    const nowMs = clock.monotonicMs()
    const known = windows.get(model)
    const window = known ?? { startMs: nowMs, now: nothing(), before: nothing() }
    if (known === undefined) windows.set(model, window)
    const agoMs = nowMs - window.startMs
    if (agoMs < halfWindowMs) return window
    window.before = agoMs < 2 * halfWindowMs ? window.now : nothing()
    window.now = nothing()
    window.startMs = nowMs
    return window
  }

  return {
    countRequest(model) {
      windowOf(model).now.requests += 1
    },
    take(model) {
      const { now, before } = windowOf(model)
      if (now.taken + before.taken >= Math.max(freeInWindow, share * (now.requests + before.requests))) return false
      now.taken += 1
      return true
    },
  }
}
