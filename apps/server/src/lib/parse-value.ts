// Single values of responses from outside, such as a vendor's. What does not pass here may not be stored, charged, or shown.

/** Longest id of a service; indexes of the database have no room for much longer ones. */
const idCharsMax = 512
/** Longest address: signed addresses of objects have two or three thousand characters. */
const addressCharsMax = 8_192
/** The last second that a calendar with four digits for the year can write. */
const secondsMax = 253_402_300_799

/** Control characters except tabs and line feeds, and halves of surrogate pairs: PostgreSQL cannot store U+0000, and UTF-8 no half of a pair. */
const unprintable = /(?![\t\n])[\p{Cc}\p{Cs}]/gu
/** Those and all others that no id or address has. */
const notInNames = /[\p{Cc}\p{Cs}]/u

/** A text of at most so many characters, without unprintable ones; empty if the value is no text. */
export function parseText(value: unknown, charsMax: number): string {
  return typeof value === 'string' ? value.slice(0, charsMax).replace(unprintable, '') : ''
}

/** An id as it came: a shortened one would name nothing. `null` = it is none. */
export function parseId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= idCharsMax && !notInNames.test(value) ? value : null
}

/** An address as it came; `null` = it is none that can be stored. */
export function parseAddress(value: unknown): string | null {
  return typeof value === 'string' && value.length <= addressCharsMax && !notInNames.test(value) && URL.canParse(value) ? value : null
}

/** A number between zero and a largest one; `null` = it is none. */
export function parseAmount(value: unknown, most: number): number | null {
  return typeof value === 'number' && value >= 0 && value <= most ? value : null
}

/** The whole part of a number between zero and a largest one; `null` = it is none. */
export function parseWhole(value: unknown, most: number): number | null {
  const amount = parseAmount(value, most)
  return amount === null ? null : Math.floor(amount)
}

/** A time in whole seconds since the epoch; `null` = it is none. */
export function parseSeconds(value: unknown): number | null {
  return parseWhole(value, secondsMax)
}

/** JSON of at most so many characters; `null` = it is longer, or nested too deeply to be written. */
export function parseJsonWithin<Value>(value: Value, charsMax: number): Value | null {
  try {
    return JSON.stringify(value).length <= charsMax ? value : null
  } catch {
    return null
  }
}

/** Content of any other type could be a page, which a browser would run. */
const mediaType = /^(?:video|image|audio)\/[\w.+-]{1,100}$/

/** The type of a video, an image or audio, without parameters and in lower case; `null` = it is none. */
export function parseMediaType(value: unknown): string | null {
  const type = typeof value === 'string' ? (value.slice(0, 256).split(';')[0] ?? '').trim().toLowerCase() : ''
  return mediaType.test(type) ? type : null
}
