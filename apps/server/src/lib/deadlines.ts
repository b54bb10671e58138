import type { Clock } from './clock.ts'

/** How often deadlines are looked at: the most that one fires late. One timer serves every request. */
const tickMs = 250

/** Ticks that lie so far apart say that the whole process stood still. */
const stalledMs = 2_000

/** One running wait. `at` may be moved while it runs. */
export interface Deadline {
  /** Monotonic milliseconds. */
  at: number
}

export interface Deadlines {
  /** Calls `onDue` once when the time has passed, unless it was cancelled. */
  start(afterMs: number, onDue: () => void): Deadline
  cancel(deadline: Deadline): void
}

export function createDeadlines(clock: Clock): Deadlines {
  const running = new Map<Deadline, () => void>()
  let timer: ReturnType<typeof setInterval> | null = null
  let lastTickMs = 0
  /** The last tick fired nothing, because the process had stood still. */
  let hasWaited = false

  function tick(): void {
    const now = clock.monotonicMs()
    // What others have sent meanwhile waits to be read, and moves deadlines that would seem to have passed.
    hasWaited = !hasWaited && now - lastTickMs > stalledMs
    lastTickMs = now
    if (hasWaited) return
    for (const [deadline, onDue] of running) {
      if (deadline.at > now) continue
      running.delete(deadline)
      onDue()
    }
    if (running.size === 0 && timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }

  return {
    start(afterMs, onDue) {
      const deadline: Deadline = { at: clock.monotonicMs() + afterMs }
      running.set(deadline, onDue)
      if (timer === null) {
        lastTickMs = clock.monotonicMs()
        timer = setInterval(tick, tickMs)
      }
      return deadline
    },
    cancel(deadline) {
      running.delete(deadline)
    },
  }
}
