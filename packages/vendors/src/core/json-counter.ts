import { endOfText } from './json-text.ts'
import { depthMax, isTooDeep } from './nesting.ts'

/** Most commas, colons and brackets outside of strings. The longest bodies of vendors have 300,000 numbers (embeddings of tokens). */
export const marksMax = 500_000
/**
 * Most members with whole numbers as names ("7919"), of all objects together. The engine keeps them apart from other members: to parse, walk
 * through and write 240,000 of them takes 80, 160 and 190 ms. Maps by id in arguments of tools have some thousands, `logit_bias` up to 300.
 */
export const indexKeysMax = 30_000

/** Shorter JSON cannot exceed a limit but that of its depth: a member takes six bytes with its comma. */
export const countedLengthMin = 6 * indexKeysMax

const tooDeep = 'nested too deeply'

/** Most characters of all texts together. A model reads and writes some millions; what is parsed of longer ones is written again, too. */
export const innerCharactersMax = 8 * 1024 * 1024

/** What several JSON texts have together. */
export class JsonTally {
  /** Only what `pushText` gets counts. */
  characters = 0
  /** Commas, colons and brackets outside of strings. */
  marks = 0
  /** Members whose names are whole numbers, as often as they occur. */
  indexKeys = 0

  readonly #charactersMax: number
  #length = 0

  /** @param charactersMax most characters; missing: a single text may be as long as what it came in */
  constructor(charactersMax = Number.POSITIVE_INFINITY) {
    this.#charactersMax = charactersMax
  }

  /** Counts a whole text. Short ones are counted only once they would be long together. */
  add(text: string): void {
    this.#length += text.length
    if (this.#length >= countedLengthMin) new JsonCounter(this).pushText(text)
  }

  /** Why they must not be parsed, as the end of a sentence; `null` = they may be. */
  get excess(): string | null {
    if (this.characters > this.#charactersMax) return `more than ${this.#charactersMax} characters`
    if (this.marks > marksMax) return 'too many values'
    return this.indexKeys > indexKeysMax ? 'too many members whose names are integers' : null
  }
}

const [none, opening, closing, comma, colon] = [0, 1, 2, 3, 4]
/** What a byte outside of strings is: a list of bytes, where a map would take a multiple of the time. */
const markOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if ('[{'.includes(character)) return opening
  if (']}'.includes(character)) return closing
  return character === ',' ? comma : character === ':' ? colon : none
})

const [quote, backslash, zero] = [0x22, 0x5c, 0x30]

/** Longest name of a whole number: ten digits, each as an escape. */
const nameBytesMax = 60
/** Largest number that the engine takes for an index (ECMA-262, "array index"). */
const indexMax = 2 ** 32 - 2

const encoder = new TextEncoder()
/** Characters that are encoded at once, so that a long text is never in memory twice. A pair that is cut stands in a string, which is skipped. */
const encodedAtOnce = 64 * 1024

/**
 * Counts what JSON is made of without parsing it, for which the parser could take seconds and hundreds of megabytes. It may come in chunks
 * that are cut anywhere. Strings are skipped. Once a limit is exceeded, nothing more is counted.
 */
export class JsonCounter {
  readonly #tally: JsonTally
  #depth = 0
  #hasBegun = false
  #isTooDeep = false
  /** The previous chunk ended within a string, or within an escape in it. */
  #isInText = false
  #isInEscape = false
  /** The beginning of that string, as long as it may be the name of a member that is a whole number; `null` = it is none. */
  #begun: Uint8Array | null = null
  /** What stands behind the last mark: a string. */
  #isAfterText = false
  /** That string is a whole number: with a colon behind it, it is the name of a member. */
  #isIndex = false

  /** @param tally where it is counted, together with other texts */
  constructor(tally = new JsonTally()) {
    this.#tally = tally
  }

  get marks(): number {
    return this.#tally.marks
  }

  /** Why it must not be parsed, as the end of a sentence; `null` = it may be. */
  get excess(): string | null {
    return this.#isTooDeep ? tooDeep : this.#tally.excess
  }

  /** Every bracket has been closed. */
  get isClosed(): boolean {
    return this.#hasBegun && this.#depth === 0
  }

  pushText(text: string): void {
    this.#tally.characters += text.length
    for (let at = 0; at < text.length && this.excess === null; at += encodedAtOnce)
      this.push(encoder.encode(text.slice(at, at + encodedAtOnce)))
  }

  push(bytes: Uint8Array): void {
    let at = this.#isInText ? this.#skipRest(bytes) : 0
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0
      const mark = markOf[byte]
      if (mark !== none || (byte === quote && this.#isAfterText)) {
        if (this.excess !== null) return
        this.#count(mark)
      }
      if (byte === quote) at = this.#skipText(bytes, at + 1)
      else at += 1
    }
  }

  /** @param mark `none` = a string right behind a string, which is no JSON: millions of them take long to skip */
  #count(mark: number | undefined): void {
    this.#tally.marks += 1
    if (mark === colon && this.#isIndex) this.#tally.indexKeys += 1
    this.#isIndex = false
    this.#isAfterText = false
    if (mark === opening) {
      this.#hasBegun = true
      this.#depth += 1
      if (this.#depth > depthMax) this.#isTooDeep = true
    } else if (mark === closing) this.#depth -= 1
  }

  /** @param start behind the quote @returns the place behind the string */
  #skipText(bytes: Uint8Array, start: number): number {
    this.#isAfterText = true
    const end = endOfText(bytes, start)
    if (end < bytes.length) {
      this.#isIndex = isIndex(bytes, start, end)
      return end + 1
    }
    this.#isInText = true
    this.#isInEscape = endsInEscape(bytes, start)
    this.#begun = bytes.length - start > nameBytesMax ? null : bytes.slice(start)
    return bytes.length
  }

  /** The rest of a string that began in another chunk. */
  #skipRest(bytes: Uint8Array): number {
    if (bytes.length === 0) return 0
    const from = this.#isInEscape ? 1 : 0
    const end = endOfText(bytes, from)
    const begun = this.#begun
    const isShort = begun !== null && begun.length + end <= nameBytesMax
    const text = isShort ? joined(begun, bytes.subarray(0, end)) : null
    if (end >= bytes.length) {
      this.#isInEscape = endsInEscape(bytes, from)
      this.#begun = text
      return bytes.length
    }
    this.#isInText = false
    this.#begun = null
    this.#isIndex = text !== null && isIndex(text, 0, text.length)
    return end + 1
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** Whether the bytes of a string end with a backslash that escapes what follows. */
function endsInEscape(bytes: Uint8Array, start: number): boolean {
  let from = bytes.length
  while (from > start && bytes[from - 1] === backslash) from -= 1
  return (bytes.length - from) % 2 === 1
}

/** Whether the bytes of a string are a whole number as the engine writes it. */
function isIndex(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > nameBytesMax) return false
  let value = 0
  let digits = 0
  for (let at = start; at < end; at += 1) {
    const isEscape = bytes[at] === backslash
    const digit = isEscape ? escapedDigit(bytes, at) : (bytes[at] ?? 0) - zero
    // No number but zero begins with it.
    if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return false
    if (isEscape) at += escapeBytes - 1
    value = 10 * value + digit
    digits += 1
  }
  return value <= indexMax
}

const escapeBytes = 6
/** An escape of a digit without the digit. */
const digitEscape = [backslash, 0x75, zero, zero, 0x33]

/** The digit that an escape stands for; -1 = it stands for something else. */
function escapedDigit(bytes: Uint8Array, start: number): number {
  for (const [index, byte] of digitEscape.entries()) if (bytes[start + index] !== byte) return -1
  return (bytes[start + escapeBytes - 1] ?? 0) - zero
}

/** Why a text must not be parsed as JSON, as the end of a sentence; `null` = it may be. */
export function excessOf(text: string): string | null {
  if (text.length < countedLengthMin) return isTooDeep(text) ? tooDeep : null
  const counter = new JsonCounter()
  counter.pushText(text)
  return counter.excess
}
