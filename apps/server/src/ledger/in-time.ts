import { AppError } from '../lib/app-error.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { inTime as inTimeOr } from '../lib/in-time.ts'

/** Timeout for one response of the store or its disk. */
const responseMs = 5_000

/**
 * The result of the work, or an error after the timeout.
 * @param late called with a result that comes after the timeout
 * @throws AppError database_unavailable
 */
export function inTime<Result>(deadlines: Deadlines, work: Promise<Result>, late: (result: Result) => void): Promise<Result> {
  const error = (): AppError => new AppError('database_unavailable', { retryAfterSeconds: 5 })
  return inTimeOr(work, { deadlines, ms: responseMs, error }, late)
}

/**
 * Longest wait of a response's end for the commit of its charge. Clients wait for a minute, so the longest statement of the store (8 s) fits
 * into it, and nobody is kept waiting while another process holds the lock of the database or its disk is full.
 */
const endMs = 10_000

const late = new Error('ledger commit is slow')

/** Resolves when the work is done, or after `endMs` without an error: the work goes on. */
export async function endInTime(deadlines: Deadlines, work: Promise<unknown>): Promise<void> {
  await inTimeOr(work, { deadlines, ms: endMs, error: () => late }).catch((error: unknown) => {
    if (error !== late) throw error
  })
}
