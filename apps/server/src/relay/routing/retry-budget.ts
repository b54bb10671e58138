import type { Clock } from '../../lib/clock.ts'

/** Keeps further attempts few, so that vendors in trouble are not asked far more than clients ask. */
export interface RetryBudget {
  /** A client asked for the model. */
  asked(model: string): void
  /** Whether one more further attempt may be made for it; `true` counts it. */
  take(model: string): boolean
}

/** Further attempts to requests, within the window. */
const share = 0.2
const halfWindowMs = 5_000
/** So many are free, also where there are few requests: three a second. */
const freeInWindow = 30

interface Half {
  readonly asked: number
  readonly taken: number
}

interface Window {
  startMs: number
  now: Half
  before: Half
}

const nothing: Half = { asked: 0, taken: 0 }

export function createRetryBudget(clock: Clock): RetryBudget {
  /** By the model's name; only configured names come here. */
  const windows = new Map<string, Window>()

  function windowOf(model: string): Window {
    const nowMs = clock.monotonicMs()
    const known = windows.get(model)
    const window = known ?? { startMs: nowMs, now: nothing, before: nothing }
    if (known === undefined) windows.set(model, window)
    const agoMs = nowMs - window.startMs
    if (agoMs < halfWindowMs) return window
    window.before = agoMs < 2 * halfWindowMs ? window.now : nothing
    window.now = nothing
    window.startMs = nowMs
    return window
  }

  return {
    asked(model) {
      const window = windowOf(model)
      window.now = { ...window.now, asked: window.now.asked + 1 }
    },
    take(model) {
      const window = windowOf(model)
      const { now, before } = window
      if (now.taken + before.taken >= Math.max(freeInWindow, share * (now.asked + before.asked))) return false
      window.now = { ...now, taken: now.taken + 1 }
      return true
    },
  }
}
