/** Longest wait for the response to a question. */
export const questionMs = 60_000
/** A poll without a response by then may be repeated by another poller. It is longer than a poll takes. */
export const claimMs = questionMs + 30_000
/** Shortest and longest pause between two questions about a task. */
const pauseMinMs = 2_000
export const pauseMaxMs = 30_000
/** A question waits for as long as the task has run, divided by this: the result is late by a tenth of its time at most. */
const share = 10
/** Pauses differ by a fifth, so that tasks that began together are not polled together. */
const jitter = 0.2

/** Shortest and longest pause of kinds whose clients wait, and of those that take hours. */
const limitsMs: Readonly<Record<string, readonly [shortest: number, longest: number]>> = {
  pictures: [700, pauseMaxMs],
  batches: [pauseMinMs, 2 * pauseMaxMs],
}

/** Milliseconds until the next question about a task of a kind. @param random from 0 to 1 */
export function pollPauseMs(kind: string, ranMs: number, random: number): number {
  const [shortest, longest] = limitsMs[kind] ?? [pauseMinMs, pauseMaxMs]
  const pause = Math.min(longest, Math.max(shortest, ranMs / share))
  return Math.round(pause * (1 + jitter * (2 * random - 1)))
}

/** The pause after polls that failed: longer with each of them, and at least as long as the vendor asks. */
export function silentPauseMs(silences: number, retryAfterSeconds: number | null, random: number): number {
  const pause = Math.min(pauseMaxMs * 4, pauseMinMs * 2 ** Math.min(silences, 10))
  return Math.round(Math.max(pause * (1 + jitter * (2 * random - 1)), (retryAfterSeconds ?? 0) * 1000))
}
