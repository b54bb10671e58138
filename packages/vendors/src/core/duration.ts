/** Seconds of each unit, as headers and messages write them. */
const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 }

/** Longest text of a duration: hours to milliseconds with fractions. Longer ones are none, and would be searched for long. */
const durationMax = 40

/** A duration such as `6m0s`, `1.5s` or `120ms`, or a number of seconds; `null` if it is neither. */
export function secondsOf(duration: string): number | null {
  if (duration.length > durationMax) return null
  const text = duration.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return null
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * (unitSeconds[unit] ?? 1), 0)
}
