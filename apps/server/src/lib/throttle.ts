import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** Counts failures of a key and says how long it must wait. Memory is bounded: invented keys push out old ones. */
export interface Throttle {
  /** Seconds to wait before the next try; 0 = now. */
  waitSeconds(key: string): number
  fail(key: string): void
  forget(key: string): void
}

interface ThrottleRule {
  /** Failures within the window that cost nothing. */
  readonly free: number
  readonly windowMs: number
  /** Longest wait. A delay, never a lock: nobody can lock somebody else out for good. */
  readonly waitMaxMs: number
}

interface Failures {
  readonly count: number
  readonly firstMs: number
  readonly untilMs: number
}

const keysMax = 100_000

/** After the free failures each further one doubles the wait, from one second. */
export function createThrottle(clock: Clock, { free, windowMs, waitMaxMs }: ThrottleRule): Throttle {
  const failures = createLru<string, Failures>(keysMax)
  return {
    waitSeconds(key) {
      const known = failures.get(key)
      return known === undefined ? 0 : Math.max(0, Math.ceil((known.untilMs - clock.monotonicMs()) / 1000))
    },
    fail(key) {
      const now = clock.monotonicMs()
      const known = failures.get(key)
      const isOver = known === undefined || now - known.firstMs > windowMs
      const count = isOver ? 1 : known.count + 1
      const waitMs = count < free ? 0 : Math.min(waitMaxMs, 1000 * 2 ** Math.min(20, count - free))
      failures.set(key, { count, firstMs: isOver ? now : known.firstMs, untilMs: now + waitMs })
    },
    forget: (key) => failures.delete(key),
  }
}
