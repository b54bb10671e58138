import { type ByteBudget, createByteBudget } from '../src/byte-budget.ts'
import type { Clock, Deadline, Deadlines } from '../src/time.ts'

/** Timeouts on a given clock, which is read every 10 ms. */
export function createDeadlines(clock: Clock): Deadlines {
  const running = new Map<Deadline, () => void>()
  let timer: ReturnType<typeof setInterval> | null = null

  function tick(): void {
    for (const [deadline, onDue] of running) {
      if (deadline.at > clock.monotonicMs()) continue
      running.delete(deadline)
      onDue()
    }
    if (running.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  return {
    start(afterMs, onDue) {
      const deadline: Deadline = { at: clock.monotonicMs() + afterMs }
      running.set(deadline, onDue)
      timer ??= setInterval(tick, 10)
      return deadline
    },
    cancel(deadline) {
      running.delete(deadline)
    },
  }
}

/** The system time. */
export const systemClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() }

/** The budget for long messages of a server with messages of at most that length. */
export function createRoom(clock: Clock, deadlines: Deadlines, longestBytes: number): ByteBudget {
  return createByteBudget({ bytesMax: longestBytes / 2, longestBytes, monotonicMs: clock.monotonicMs, deadlines })
}
