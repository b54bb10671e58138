/** Seconds of a Retry-After header (number or date), at most a minute; `null` if it is invalid. */
export function retryAfterOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(60, Math.ceil(seconds)) : null
}
