import { secondsOf } from './duration.ts'

/** Longest pause of a channel. */
export const waitSecondsMax = 60

/**
 * The time after which a message asks for the next attempt: `in 20s`, `in 7m12.5s`, `in 560ms`, `after 9 seconds` (as users of four vendors
 * quote them: elizaOS/eliza #4040, microsoft/sample-app-aoai-chatGPT #406, read 2026-11-23).
 */
const retryAfterForm =
  /\b(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s)){1,4}|\d{1,9} (?:millisecond|second|minute|hour)s?)\b/i

const units: Readonly<Record<string, string>> = { millisecond: 'ms', second: 's', minute: 'm', hour: 'h' }

/** Whole seconds, at most a minute; `null` if the message names no time. */
export function retryAfterInMessage(message: string): number | null {
  const duration = retryAfterForm.exec(message)?.[1]?.toLowerCase() ?? ''
  const seconds = secondsOf(duration.replace(/ (\w+?)s?$/, (_, unit: string) => units[unit] ?? ''))
  return seconds === null ? null : Math.min(waitSecondsMax, Math.ceil(seconds))
}
