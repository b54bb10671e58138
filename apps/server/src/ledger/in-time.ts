import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { inTime as inTimeOr } from '../lib/in-time.ts'

/** Timeout for one reply of the store or its disk. */
const answerMs = 5_000

/**
 * The result of the work, or an error after the timeout.
 * @param late called with a result that comes after the timeout
 * @throws AppError database_unavailable
 */
export function inTime<Result>(deadlines: Deadlines, work: Promise<Result>, late: (result: Result) => void): Promise<Result> {
  const error = (): AppError => new AppError('database_unavailable', { retryAfterSeconds: 5 })
  return inTimeOr(work, { deadlines, ms: answerMs, error }, late)
}
