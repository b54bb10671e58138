import { basename } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { slowestLine } from './slowest.mjs'

/** How much of an error is printed: what was expected and received is at its beginning, and is followed by a log of each attempt. */
const errorLines = 12

const beginning = (message) => stripVTControlCharacters(message).split('\n').slice(0, errorLines).join('\n')

/**
 * A Playwright reporter for outputs other than terminals: prints a line and the error when a test fails, also where a second try passes, and at
 * the end the files that took longest.
 */
export default function failingReporter() {
  const seconds = new Map()
  return {
    onTestEnd: (test, { status, duration, error }) => {
      const file = basename(test.location.file)
      seconds.set(file, (seconds.get(file) ?? 0) + duration / 1000)
      const outcome = test.outcome()
      if (outcome === 'expected' || outcome === 'skipped') return
      console.log(`${outcome === 'flaky' ? 'passed at the second try' : status}: ${test.titlePath().filter(Boolean).join(' › ')}`)
      if (error !== undefined) console.log(beginning(error.message ?? error.value ?? ''))
    },
    onEnd: () => console.log(slowestLine(seconds)),
    /** Faults outside of tests, such as a file that cannot be loaded. */
    onError: ({ message, value }) => console.log(`error: ${message ?? value}`),
  }
}
