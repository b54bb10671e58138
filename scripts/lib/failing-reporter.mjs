/** A Playwright reporter for outputs other than terminals: prints a line when a test fails. */
export default function failingReporter() {
  return {
    onTestEnd: (test, { status }) => {
      if (test.outcome() === 'unexpected') console.log(`${status}: ${test.titlePath().filter(Boolean).join(' › ')}`)
    },
    /** Faults outside of tests, such as a file that cannot be loaded. */
    onError: ({ message, value }) => console.log(`error: ${message ?? value}`),
  }
}
