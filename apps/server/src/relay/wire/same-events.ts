import type { PassedEvent, Passthrough } from '@sluice/vendors/dialect'

/** Events that may be compared in vain before comparing is given up: some servers change more than the text. */
const missesMax = 8

const [quote, backslash, firstPrintable, lastAscii] = [0x22, 0x5c, 0x20, 0x7f]

/** The parts of an event that do not change: before the text, between text and padding, and behind the padding. */
interface Parts<Part> {
  readonly before: Part
  readonly between: Part
  /** `null`: the event has no padding. */
  readonly after: Part | null
}

type Reading = Pick<Passthrough, 'event' | 'changing'>

/**
 * Reads the events of one stream. Nearly all of them are the one before with another text, so the bytes of each are compared with it, and
 * only an event that differs in more than its text is decoded and parsed.
 */
export class SameEventReader {
  readonly #passthrough: Reading
  #pattern: Parts<Buffer> | null = null
  #misses = 0

  constructor(passthrough: Reading) {
    this.#passthrough = passthrough
    if (passthrough.changing === undefined) this.#misses = missesMax
  }

  /** Reads an event by its bytes; `null`: it differs from an earlier one in more than its text. */
  same(raw: Uint8Array): PassedEvent | null {
    const text = this.#pattern === null ? null : textWithin(raw, this.#pattern)
    if (text === null) return null
    this.#misses = 0
    return { usage: null, text, finished: false, usageOnly: false, failure: null, callsTools: false }
  }

  /** Reads any event. */
  read(data: string, raw: Uint8Array): PassedEvent {
    const event = this.#passthrough.event(data)
    if (this.#misses < missesMax && isPlain(event)) this.#learn(data, raw)
    return event
  }

  #learn(data: string, raw: Uint8Array): void {
    this.#misses += 1
    this.#pattern = null
    const { text: members = [], padding = null } = this.#passthrough.changing ?? {}
    for (const member of members) {
      const parts = partsOf(data, `"${member}":"`, padding)
      if (parts === null || !this.#isReadThere(parts)) continue
      this.#pattern = framed(parts, decoder.decode(raw).split(data))
      return
    }
  }

  /** Whether the text that was found is the one that is read. */
  #isReadThere({ before, between, after }: Parts<string>): boolean {
    const event = this.#passthrough.event(`${before}${probe}${between}${after ?? ''}`)
    return isPlain(event) && event.text === probe
  }
}

const probe = 'probe'

/** It says nothing but its text. */
function isPlain({ usage, finished, usageOnly, failure, isEmpty, isLast, isAnswer, callsTools, isOdd }: PassedEvent): boolean {
  return usage === null && failure === null && ![finished, usageOnly, isEmpty, isLast, isAnswer, callsTools, isOdd].includes(true)
}

/** `null`: the event does not have the member, or has it twice. */
function partsOf(data: string, member: string, padding: string | null): Parts<string> | null {
  const at = data.indexOf(member)
  if (at === -1 || data.includes(member, at + 1)) return null
  const start = at + member.length
  const length = /^(?:[^"\\]|\\.)*/.exec(data.slice(start))?.[0].length ?? 0
  const before = data.slice(0, start)
  const rest = data.slice(start + length)
  const paddingMember = `"${padding}":"`
  const paddedAt = padding === null ? -1 : rest.indexOf(paddingMember)
  if (paddedAt === -1) return { before, between: rest, after: null }
  const paddingStart = paddedAt + paddingMember.length
  return { before, between: rest.slice(0, paddingStart), after: rest.slice(rest.indexOf('"', paddingStart)) }
}

/**
 * Adds what an event has around its data. Neither that nor the text has a line end within the data, so an event that has the parts is one
 * whole event. @returns `null` = the data is not in the event as it is
 */
function framed({ before, between, after }: Parts<string>, [start, end, ...more]: readonly string[]): Parts<Buffer> | null {
  if (start === undefined || end === undefined || more.length > 0) return null
  return {
    before: Buffer.from(start + before),
    between: Buffer.from(after === null ? between + end : between),
    after: after === null ? null : Buffer.from(after + end),
  }
}

/** The text of an event that has the parts. `null`: it does not have them. */
function textWithin(raw: Uint8Array, { before, between, after }: Parts<Buffer>): string | null {
  const start = before.length
  if (!isAt(raw, 0, before)) return null
  const end = endOfText(raw, start)
  if (end === -1 || !isAt(raw, end, between)) return null
  const rest = end + between.length
  if (after === null) return rest === raw.length ? textOf(raw, start, end) : null
  const paddingEnd = raw.length - after.length
  return endOfText(raw, rest) === paddingEnd && isAt(raw, paddingEnd, after) ? textOf(raw, start, end) : null
}

function isAt(raw: Uint8Array, start: number, part: Buffer): boolean {
  const end = start + part.length
  return end <= raw.length && part.compare(raw, start, end) === 0
}

/** Where the quote stands that ends a JSON text. -1: there is none before a byte that no JSON text has. */
function endOfText(raw: Uint8Array, start: number): number {
  for (let at = start; at < raw.length; at += 1) {
    const byte = raw[at] ?? 0
    if (byte === quote) return at
    if (byte < firstPrintable) return -1
    if (byte === backslash) at += 1
  }
  return -1
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Longest text that is read byte by byte, which is faster for a word. */
const wordBytesMax = 16

/** `null`: it is no text of JSON. */
function textOf(raw: Uint8Array, start: number, end: number): string | null {
  return wordIn(raw, start, end) ?? decodedText(raw, start, end)
}

/** `null`: it is long, or has other than plain ASCII characters. */
function wordIn(raw: Uint8Array, start: number, end: number): string | null {
  if (end - start > wordBytesMax) return null
  let word = ''
  for (let at = start; at < end; at += 1) {
    const byte = raw[at] ?? 0
    if (byte === backslash || byte > lastAscii) return null
    word += String.fromCharCode(byte)
  }
  return word
}

function decodedText(raw: Uint8Array, start: number, end: number): string | null {
  const written = decoder.decode(raw.subarray(start, end))
  if (!written.includes('\\')) return written
  try {
    const text: unknown = JSON.parse(`"${written}"`)
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}
