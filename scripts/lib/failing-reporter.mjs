import { basename } from 'node:path'
import { slowestLine } from './slowest.mjs'

/**
 * A Playwright reporter for outputs other than terminals: prints a line when a test fails, also where a second try passes, and at the end the
 * files that took longest.
 */
export default function failingReporter() {
  const seconds = new Map()
  return {
    onTestEnd: (test, { status, duration }) => {
      const file = basename(test.location.file)
      seconds.set(file, (seconds.get(file) ?? 0) + duration / 1000)
      const outcome = test.outcome()
      if (outcome === 'expected' || outcome === 'skipped') return
      console.log(`${outcome === 'flaky' ? 'passed at the second try' : status}: ${test.titlePath().filter(Boolean).join(' › ')}`)
    },
    onEnd: () => console.log(slowestLine(seconds)),
    /** Faults outside of tests, such as a file that cannot be loaded. */
    onError: ({ message, value }) => console.log(`error: ${message ?? value}`),
  }
}
