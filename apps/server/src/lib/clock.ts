/** The only place that reads a clock. Durations use `monotonicMs`; wall time is for display, expiry and day buckets. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

/** Whole seconds since the epoch: the unit of every time on the wire and in the tables. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** A time in UTC, as YYYY-MM-DDTHH:MM:SS.000Z. */
export function utcTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** The day of a time in UTC, as YYYY-MM-DD. */
export function utcDay(seconds: number): string {
  return utcTime(seconds).slice(0, 10)
}
