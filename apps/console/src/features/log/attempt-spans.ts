import type { AdminLogRow } from '@sluice/contract'

export type FailedAttempt = AdminLogRow['failed_attempts'][number]

/** A part of a request's time, in milliseconds from its beginning. */
export interface AttemptSpan {
  readonly from: number
  readonly to: number
  /** `null`: the attempt that responded. */
  readonly failed: FailedAttempt | null
}

/**
 * The attempts of a request one after another: the failed ones, and the one that responded, which began when the last failure had ended.
 * Empty: the row is older than the times of attempts, or there was no attempt.
 */
export function attemptSpans({
  failed_attempts: failures,
  attempts,
  elapsed_time: total,
}: Pick<AdminLogRow, 'failed_attempts' | 'attempts' | 'elapsed_time'>): readonly AttemptSpan[] {
  if (attempts === 0 || total === 0) return []
  if (failures.length > 0 && failures.every(({ start_time, elapsed_time }) => start_time + elapsed_time === 0)) return []
  const spans = failures.map((failed): AttemptSpan => {
    const from = Math.min(failed.start_time, total)
    return { from, to: Math.min(from + failed.elapsed_time, total), failed }
  })
  // A stream that broke off is both: an attempt that responded, and one that failed.
  if (spans.length >= attempts) return spans
  const from = spans.at(-1)?.to ?? 0
  return [...spans, { from, to: total, failed: null }]
}
