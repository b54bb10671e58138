const two = (value: number): string => String(value).padStart(2, '0')

/** `YYYY-MM-DD HH:mm:ss` in local time, from seconds since the epoch. */
export function formatTime(seconds: number): string {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return ''
  return `${formatDay(date)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `YYYY-MM-DD` of a local day. */
export function formatDay(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** For programs that read the page; nothing for a stored time that no date can hold. */
export function isoTime(seconds: number): string | undefined {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** For the tooltip beside the local time. */
export function formatUtc(seconds: number): string {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** For the name of an exported file. */
export function fileStamp(date: Date): string {
  return `${formatDay(date).replaceAll('-', '')}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
}

/** Parses a typed local time into seconds (rounded up); `null` = invalid. Dates that do not exist are invalid, not shifted. */
export function parseTime(text: string): number | null {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/.exec(text.trim())
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const date = new Date(year, month - 1, day, hour, minute, second)
  const isSame = date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60 && second < 60
  return isSame ? Math.ceil(date.getTime() / 1000) : null
}

/** What a form shows of the end of a row: local time, or nothing for one that never ends (-1). */
export const expiryText = (seconds: number): string => (seconds === -1 ? '' : formatTime(seconds))

/** The end of a row from what was typed; `NaN`, which the schemas refuse, of what is no time. */
export const parseExpiry = (text: string): number => (text.trim() === '' ? -1 : (parseTime(text) ?? Number.NaN))

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** By locale: making one takes longer than everything else in a cell. */
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>()

function relativeFormat(locale: string): Intl.RelativeTimeFormat {
  const format = relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
  relativeFormats.set(locale, format)
  return format
}

/** "in 12 days", "3 hours ago"; always a number, never "tomorrow". */
export function formatRelative(seconds: number, { nowMs, locale }: { readonly nowMs: number; readonly locale: string }): string {
  const distance = seconds - nowMs / 1000
  const [unit, size] = units.find(([, length]) => Math.abs(distance) >= length) ?? ['second', 1]
  const text = relativeFormat(locale).format(Math.trunc(distance / size), unit)
  // Intl writes "12天后"; all other texts have a space between digits and Chinese characters.
  return text.replace(/(?<=\d)(?=\p{Script=Han})/u, ' ')
}
