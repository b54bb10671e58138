/** A source of time. Durations use `monotonicMs`. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number
}

/** One pending timeout. `at` may be changed while it is pending. */
export interface Deadline {
  /** Monotonic milliseconds. */
  at: number
}

/** Timeouts that are cheap to move: one timer may serve all of them. */
export interface Deadlines {
  /** Calls `onDue` once when the time has passed, unless cancelled. */
  start(afterMs: number, onDue: () => void): Deadline
  cancel(deadline: Deadline): void
}

/** The value of the field `Date` (RFC 9110, 5.6.7), formatted once a second. */
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
