import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** Limits the rate of each key, with bursts: a key that was idle may do several things at once. */
export interface RateLimiter {
  /** @returns seconds to wait; 0 = allowed, and counted */
  take(key: string): number
}

/** Most keys in memory. Invented keys evict the least recently used one, so they cannot use more memory than this. */
const keysMax = 100_000

/** `count` at once, and as many again in each `perSeconds`. */
export interface RateRule {
  readonly count: number
  readonly perSeconds: number
}

/** Sums of fractions drift by less than this, and must not refuse the last one of a window. */
export const toleranceMs = 0.001

/**
 * The generic cell rate algorithm: one number a key, the time at which all tries so far would have been due at an even rate.
 */
export function createRateLimiter(clock: Clock, { count, perSeconds }: RateRule): RateLimiter {
  const dueMs = createLru<string, number>(keysMax)
  const windowMs = perSeconds * 1000
  const stepMs = windowMs / count

  return {
    take(key) {
      const now = clock.monotonicMs()
      const next = Math.max(now, dueMs.get(key) ?? now) + stepMs
      const overMs = next - now - windowMs - toleranceMs
      if (overMs > 0) return Math.ceil(overMs / 1000)
      dueMs.set(key, next)
      return 0
    },
  }
}
