import type { Clock } from '../lib/clock.ts'

/** Stalls longer than this are detected, at 50 wake-ups a second. */
const everyMs = 20

/** Measures how late a timer fires, which is how long all other work is delayed. @returns stops it */
export function watchLoop(clock: Clock, delayed: (delayMs: number) => void): () => void {
  let dueMs = clock.monotonicMs() + everyMs
  const timer = setInterval(() => {
    const now = clock.monotonicMs()
    delayed(now - dueMs)
    dueMs = now + everyMs
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
