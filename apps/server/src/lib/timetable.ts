import type { Clock } from './clock.ts'

/** Begins what is due at an interval, which may differ from call to call. `false`: it is not due yet. */
export type BeginDue = (everyMs: number) => Promise<boolean>

/** The time begins now. */
export function createTimetable(clock: Pick<Clock, 'monotonicMs'>): BeginDue {
  let lastMs = clock.monotonicMs()
  return async (everyMs) => {
    const now = clock.monotonicMs()
    if (now - lastMs < everyMs) return false
    lastMs = now
    return true
  }
}
