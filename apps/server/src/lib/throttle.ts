import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** Counts tries of a key and says how long it must wait. Memory is bounded: invented keys push out old ones. */
export interface Throttle {
  /**
   * Counts a try before its outcome is known, so that a hundred at once are not all let through as the first.
   * @returns seconds to wait; 0 = go on
   */
  take(key: string): number
  /** The try that was taken last does not count: it was a good one. */
  giveBack(key: string): void
  /** No try of the key counts any more. */
  forget(key: string): void
}

interface ThrottleRule {
  /** Tries within the window that cost nothing. */
  readonly free: number
  readonly windowMs: number
  /** Longest wait. A delay, never a lock: nobody can lock somebody else out for good. */
  readonly waitMaxMs: number
}

interface Tries {
  readonly count: number
  readonly firstMs: number
  readonly untilMs: number
}

const keysMax = 100_000

/** After the free tries each further one doubles the wait, from one second. */
export function createThrottle(clock: Clock, { free, windowMs, waitMaxMs }: ThrottleRule): Throttle {
  const tries = createLru<string, Tries>(keysMax)
  const waitMs = (count: number): number => (count < free ? 0 : Math.min(waitMaxMs, 1000 * 2 ** Math.min(20, count - free)))

  return {
    take(key) {
      const now = clock.monotonicMs()
      const known = tries.get(key)
      if (known !== undefined && known.untilMs > now) return Math.ceil((known.untilMs - now) / 1000)
      const isOver = known === undefined || now - known.firstMs > windowMs
      const count = isOver ? 1 : known.count + 1
      tries.set(key, { count, firstMs: isOver ? now : known.firstMs, untilMs: now + waitMs(count) })
      return 0
    },
    giveBack(key) {
      const known = tries.get(key)
      if (known !== undefined) tries.set(key, { ...known, count: known.count - 1, untilMs: 0 })
    },
    forget: (key) => tries.delete(key),
  }
}
