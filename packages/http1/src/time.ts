/** What tells the time. Durations use `monotonicMs`. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number
}

/** One running timeout. `at` may be moved while it runs. */
export interface Deadline {
  /** Monotonic milliseconds. */
  at: number
}

/** Timeouts that cost nothing to move: one timer may serve all of them. */
export interface Deadlines {
  /** Calls `onDue` once when the time has passed, unless it was cancelled. */
  start(afterMs: number, onDue: () => void): Deadline
  cancel(deadline: Deadline): void
}

/** The time for the field `Date` (RFC 9110, 5.6.7), formatted once a second. */
export function createDateField(clock: Clock): () => string {
  let second = -1
  let text = ''
  return () => {
    const now = Math.floor(clock.nowMs() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}
