import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** Counts tries of a key and says how long it must wait. Memory is bounded: invented keys evict old ones. */
export interface Throttle {
  /**
   * Counts a try before its outcome is known, so that a hundred at once do not all pass as the first.
   * @returns seconds to wait; 0 = allowed
   */
  take(key: string): number
  /** Uncounts the last try, which turned out to be good. */
  giveBack(key: string): void
  /** Uncounts all tries of the key. */
  forget(key: string): void
}

export interface ThrottleRule {
  /** Tries within the window that need no wait. */
  readonly free: number
  readonly windowMs: number
  /** Longest wait. A delay and never a lock, so that nobody can lock out somebody else for good. */
  readonly waitMaxMs: number
}

interface Tries {
  readonly count: number
  readonly firstMs: number
  readonly untilMs: number
}

const keysMax = 100_000

/** After the free tries each further one doubles the wait, beginning with one second. */
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
