import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'
import { createRateLimiter, type RateRule } from './rate-limiter.ts'
import { createThrottle, type ThrottleRule } from './throttle.ts'

type MayWait<Value> = Value | Promise<Value>

/** A rate limiter whose counts may be kept elsewhere; see `RateLimiter`. */
export interface Rated {
  take(key: string): MayWait<number>
}

/** A throttle whose counts may be kept elsewhere; see `Throttle`. */
export interface Throttled {
  take(key: string): MayWait<number>
  giveBack(key: string): MayWait<void>
  forget(key: string): MayWait<void>
}

/** Keys that were seen before, the least recent of which may be forgotten. */
export interface Remembered {
  has(key: string): MayWait<boolean>
  add(key: string): MayWait<void>
}

/** Makes limits. Those of different names do not count together. */
export interface Limiters {
  rate(name: string, rule: RateRule): Rated
  throttle(name: string, rule: ThrottleRule): Throttled
  remember(name: string): Remembered
}

const rememberedMax = 100_000

/** Limits that this process counts in its memory. */
export function ownLimiters(clock: Clock): Limiters {
  return {
    rate: (_name, rule) => createRateLimiter(clock, rule),
    throttle: (_name, rule) => createThrottle(clock, rule),
    remember() {
      const keys = createLru<string, true>(rememberedMax)
      return { has: (key) => keys.get(key) !== undefined, add: (key) => keys.set(key, true) }
    },
  }
}
