import { daySeconds } from './day.ts'

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

/** Whole seconds since the epoch: the unit of all times on the wire and in the tables. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000)
}

/** Whether a date can hold a time. A stored one may be beyond, of an earlier version or an import. */
export function isDate(seconds: number): boolean {
  return !Number.isNaN(new Date(seconds * 1000).getTime())
}

/** A time in UTC, as YYYY-MM-DDTHH:MM:SS.000Z; the number of seconds where no date can hold it. */
export function utcTime(seconds: number): string {
  return isDate(seconds) ? new Date(seconds * 1000).toISOString() : String(seconds)
}

/** The day of a time in UTC, as YYYY-MM-DD. */
export function utcDay(seconds: number): string {
  return utcTime(seconds).slice(0, 10)
}

/** The current UTC day since the epoch and UTC month since the year 0, and the seconds until each ends. */
export interface UtcPeriods {
  readonly day: number
  readonly secondsToNextDay: number
  readonly month: number
  readonly secondsToNextMonth: number
}

export function utcPeriods(seconds: number): UtcPeriods {
  const time = new Date(seconds * 1000)
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()]
  return {
    day: Math.floor(seconds / daySeconds),
    secondsToNextDay: daySeconds - (seconds % daySeconds),
    month: year * 12 + month,
    secondsToNextMonth: Date.UTC(year, month + 1) / 1000 - seconds,
  }
}
