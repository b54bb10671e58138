interface Test {
  readonly passed: boolean
  /** Milliseconds. */
  readonly elapsed_time: number
}

interface TestSummary {
  readonly passed: number
  /** Milliseconds of the passed tests; 0 without any. */
  readonly min: number
  readonly median: number
  readonly max: number
}

export function summaryOf(tests: readonly Test[]): TestSummary {
  const times = tests
    .filter(({ passed }) => passed)
    .map(({ elapsed_time }) => elapsed_time)
    .sort((a, b) => a - b)
  const [min = 0] = times
  return { passed: times.length, min, median: times[Math.floor((times.length - 1) / 2)] ?? 0, max: times.at(-1) ?? 0 }
}

/** A bar is full at this time and above; shorter times are scaled logarithmically, so that 0.2 s and 0.4 s can be distinguished. */
const fullMs = 10_000
/** Times up to this one have the smallest bar. */
const leastMs = 100

export function barHeight(ms: number, full: number): number {
  const share = Math.log(Math.max(ms, leastMs) / leastMs) / Math.log(fullMs / leastMs)
  return Math.max(3, Math.round(Math.min(1, share) * full))
}
