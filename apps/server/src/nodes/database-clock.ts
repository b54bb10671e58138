import type { Clock } from '../lib/clock.ts'

/**
 * The database's clock, which all nodes share, without asking it each time: this process's monotonic clock and a measured difference. A node
 * whose own clock is wrong, or is set, counts as every other.
 */
export interface DatabaseClock {
  nowMs(): number
}

/** A measurement: what the database's clock showed between two moments of the monotonic one. */
export interface Measurement {
  readonly databaseMs: number
  readonly requestedAtMs: number
  readonly respondedAtMs: number
}

/** Largest correction by one measurement of those that come each second: more than any drift, and no jump. */
const correctionMaxMs = 5
/** A larger difference is no drift: one of the clocks was set. */
const driftMaxMs = 1_000
/** A clock that was set is believed once so many measurements agree on the difference. */
const agreeing = 60
const agreeingMs = 100
/** A slower response says too little about when the database read its clock. */
const responseMaxMs = 250

interface MeasuredClock extends DatabaseClock {
  correct(measurement: Measurement): void
  /** Takes over a measurement as it is: the database may be another one than before. */
  set(measurement: Measurement): void
}

export function createDatabaseClock(clock: Pick<Clock, 'monotonicMs'>, first: Measurement): MeasuredClock {
  let aheadMs = differenceOf(first)
  let lastMissingMs = 0
  let agreed = 0

  function set(measurement: Measurement): void {
    aheadMs = differenceOf(measurement)
    agreed = 0
  }

  return {
    nowMs: () => clock.monotonicMs() + aheadMs,
    correct(measurement) {
      if (measurement.respondedAtMs - measurement.requestedAtMs > responseMaxMs) return
      const missingMs = differenceOf(measurement) - aheadMs
      agreed = Math.abs(missingMs - lastMissingMs) < agreeingMs ? agreed + 1 : 0
      lastMissingMs = missingMs
      if (Math.abs(missingMs) <= driftMaxMs) aheadMs += Math.sign(missingMs) * Math.min(Math.abs(missingMs), correctionMaxMs)
      else if (agreed >= agreeing) set(measurement)
    },
    set,
  }
}

function differenceOf({ databaseMs, requestedAtMs, respondedAtMs }: Measurement): number {
  return databaseMs - (requestedAtMs + respondedAtMs) / 2
}
