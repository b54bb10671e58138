import type { LogTimes } from '@sluice/contract'

/** Codes that have a line of their own; the others stay among the failures. */
const codesMax = 8

type Errors = Pick<LogTimes, 'errors'>

/** The error codes of most failures, the most frequent first. */
export function frequentCodes(times: readonly Errors[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { errors } of times) for (const [code, count] of Object.entries(errors)) counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([code]) => code)
    .slice(0, codesMax)
}

/** The failures of a bucket that no line of a code shows. */
export function unnamedFailures({ ends, errors }: Errors & Pick<LogTimes, 'ends'>, codes: readonly string[]): number {
  return (ends.failed ?? 0) - codes.reduce((sum, code) => sum + (errors[code] ?? 0), 0)
}
