import { secondsOf } from '@sluice/vendors/core/duration'
import { waitSecondsMax as secondsMax } from '@sluice/vendors/core/retry-after-in-message'
import { limitHeaders } from '@sluice/vendors/protocols/shared/limit-headers'

/** Seconds of a Retry-After header (number or date), at most a minute; `null` if it is invalid. */
function retryAfterOf(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const seconds = /^\d+(?:\.\d+)?$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(secondsMax, Math.ceil(seconds)) : null
}

/** Seconds of the more exact header that some send beside it and clients of OpenAI read first. */
function millisecondsIn(header: string | null): number | null {
  const text = header?.trim() ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(secondsMax, Math.ceil(Number(text) / 1000)) : null
}

/**
 * Seconds until a vendor wants requests again: Retry-After, or else the time at which the limit resets that is used up, and the later one of
 * several. `null`: it does not say.
 */
export function waitIn(header: (name: string) => string | null, nowMs: number): number | null {
  const named = millisecondsIn(header('retry-after-ms')) ?? retryAfterOf(header('retry-after'), nowMs)
  if (named !== null) return named
  const waits = limitHeaders.flatMap(([remaining, reset]) =>
    header(remaining)?.trim() === '0' ? (untilReset(header(reset), nowMs) ?? []) : [],
  )
  return waits.length === 0 ? null : Math.min(secondsMax, Math.ceil(Math.max(...waits)))
}

/** From these numbers on it is a time: in milliseconds, or in seconds, since 1970. */
const times = [
  [1e12, 1],
  [1e9, 1000],
] as const

/** Seconds until a limit resets, given as a duration or as a time; `null` if the time is past. */
function untilReset(value: string | null, nowMs: number): number | null {
  const seconds = secondsOf(value ?? '') ?? secondsOfDate(value)
  const unit = times.find(([least]) => seconds !== null && seconds >= least)?.[1]
  if (seconds === null || unit === undefined) return seconds
  const wait = (seconds * unit - nowMs) / 1000
  return wait > 0 ? wait : null
}

/** A time as RFC 3339 writes it, in seconds since 1970; `null` if it is none. */
function secondsOfDate(text: string | null): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN
  return Number.isNaN(ms) ? null : ms / 1000
}
