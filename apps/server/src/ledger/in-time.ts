import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'

/** Timeout for one reply of the store or its disk. */
const answerMs = 5_000

/**
 * The result of the work, or an error after the timeout.
 * @param late called with a result that comes after the timeout
 * @throws AppError database_unavailable
 */
export function inTime<Result>(deadlines: Deadlines, work: Promise<Result>, late: (result: Result) => void): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const deadline = deadlines.start(answerMs, () => {
      isLate = true
      reject(new AppError('database_unavailable', { retryAfterSeconds: 5 }))
    })
    work.then(
      (result) => {
        deadlines.cancel(deadline)
        if (isLate) late(result)
        else resolve(result)
      },
      (error: unknown) => {
        deadlines.cancel(deadline)
        reject(error)
      },
    )
  })
}
