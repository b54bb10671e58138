import { nowhere, UnorderedSet, type UnorderedSetItem } from '@sluice/http1/unordered-set'
import type { Clock } from './clock.ts'

/** How often deadlines are checked, and so the most that one fires late. One timer serves all requests. */
const tickMs = 250

/** A longer gap between two ticks means that the whole process was suspended. */
const stalledMs = 2_000

/** One pending deadline. `at` may be changed while it is pending. */
export interface Deadline {
  /** Monotonic milliseconds. */
  at: number
}

export interface Deadlines {
  /** Calls `onDue` once when the time has passed, unless cancelled. */
  start(afterMs: number, onDue: () => void): Deadline
  cancel(deadline: Deadline): void
}

class Pending implements Deadline, UnorderedSetItem {
  at: number
  place = nowhere
  readonly onDue: () => void

  constructor(at: number, onDue: () => void) {
    this.at = at
    this.onDue = onDue
  }
}

export function createDeadlines(clock: Clock): Deadlines {
  const running = new UnorderedSet<Pending>()
  let timer: ReturnType<typeof setInterval> | null = null
  let lastTickMs = 0
  /** The last tick fired nothing, because the process had been suspended. */
  let hasWaited = false

  function tick(): void {
    const now = clock.monotonicMs()
    // After a suspension one tick is skipped: data that arrived meanwhile is read first and moves deadlines.
    hasWaited = !hasWaited && now - lastTickMs > stalledMs
    lastTickMs = now
    if (hasWaited) return
    for (const deadline of running.filter(({ at }) => at <= now)) {
      // One that fired before may have moved or cancelled it.
      if (deadline.at > now || !running.delete(deadline)) continue
      deadline.onDue()
    }
    if (running.size === 0 && timer !== null) {
      clearInterval(timer)
      timer = null
    }
  }

  return {
    start(afterMs, onDue) {
      const deadline = new Pending(clock.monotonicMs() + afterMs, onDue)
      running.add(deadline)
      if (timer === null) {
        lastTickMs = clock.monotonicMs()
        timer = setInterval(tick, tickMs)
      }
      return deadline
    },
    cancel(deadline) {
      if (deadline instanceof Pending) running.delete(deadline)
    },
  }
}
