import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** Lets so many things of a key through in a while, evenly: whoever has waited may do several at once. */
export interface RateLimiter {
  /** @returns seconds to wait; 0 = go on, and this one is counted */
  take(key: string): number
}

/** Keys whose pace is kept. Invented keys push out the one that was used longest ago, so they cost memory up to here and no more. */
const keysMax = 100_000

/**
 * The generic cell rate algorithm: one number a key, the time at which everything taken so far would have been due at an even pace.
 * @param rule `count` at once, and again as many in `perSeconds`
 */
export function createRateLimiter(
  clock: Clock,
  { count, perSeconds }: { readonly count: number; readonly perSeconds: number },
): RateLimiter {
  const dueMs = createLru<string, number>(keysMax)
  const windowMs = perSeconds * 1000
  const stepMs = windowMs / count

  return {
    take(key) {
      const now = clock.monotonicMs()
      const next = Math.max(now, dueMs.get(key) ?? now) + stepMs
      // Sums of fractions drift by less than this; a whole window is never refused for it.
      const overMs = next - now - windowMs - 0.001
      if (overMs > 0) return Math.ceil(overMs / 1000)
      dueMs.set(key, next)
      return 0
    },
  }
}
