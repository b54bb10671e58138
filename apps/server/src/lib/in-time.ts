import type { Deadlines } from './deadlines.ts'

interface Limit {
  readonly deadlines: Deadlines
  readonly ms: number
  readonly error: () => Error
}

/**
 * The result of the work, or an error after the timeout. The work is not cancelled.
 * @param late called with a result that comes after the timeout
 */
export function inTime<Result>(
  work: Promise<Result>,
  { deadlines, ms, error }: Limit,
  late: (result: Result) => void = () => undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const deadline = deadlines.start(ms, () => {
      isLate = true
      reject(error())
    })
    work.then(
      (result) => {
        deadlines.cancel(deadline)
        if (isLate) late(result)
        else resolve(result)
      },
      (reason: unknown) => {
        deadlines.cancel(deadline)
        reject(reason)
      },
    )
  })
}
