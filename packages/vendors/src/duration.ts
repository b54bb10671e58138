/** Seconds of each unit, as headers and messages write them. */
const unitSeconds: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 }

/** A duration such as `6m0s`, `1.5s` or `120ms`, or a number of seconds; `null` if it is neither. */
export function secondsOf(duration: string): number | null {
  const text = duration.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return null
  return parts.reduce((sum, [, number, unit = 's']) => sum + Number(number) * (unitSeconds[unit] ?? 1), 0)
}
