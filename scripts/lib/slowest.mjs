/** How many files are named. */
const named = 15

/** The files that took longest. @param seconds of each file */
export function slowestLine(seconds) {
  const sorted = [...seconds].sort(([, one], [, other]) => other - one).slice(0, named)
  return `slowest: ${sorted.map(([file, value]) => `${file} ${value.toFixed(1)} s`).join(', ')}`
}

/** The seconds of each file in a report in JUnit's form. */
export function secondsOfReport(report) {
  const seconds = new Map()
  for (const [, file, value] of report.matchAll(/<testsuite name="([^"]*\.ts)"[^>]*? time="([\d.]+)"/g))
    seconds.set(file, (seconds.get(file) ?? 0) + Number(value))
  return seconds
}
