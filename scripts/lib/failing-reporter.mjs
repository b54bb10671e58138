/** A Playwright reporter for outputs other than terminals: prints a line when a test fails, also where a second try passes. */
export default function failingReporter() {
  return {
    onTestEnd: (test, { status }) => {
      const outcome = test.outcome()
      if (outcome === 'expected' || outcome === 'skipped') return
      console.log(`${outcome === 'flaky' ? 'passed at the second try' : status}: ${test.titlePath().filter(Boolean).join(' › ')}`)
    },
    /** Faults outside of tests, such as a file that cannot be loaded. */
    onError: ({ message, value }) => console.log(`error: ${message ?? value}`),
  }
}
