import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'

/** Longest wait for one answer of the store, or of its disk. */
const answerMs = 5_000

/**
 * What the store is asked for, if it comes in time.
 * @param late takes what comes after that
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
