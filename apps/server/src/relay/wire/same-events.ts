import type { PassedEvent, Passthrough } from '@sluice/vendors/core/passthrough'
import type { SseEvent } from '../model/sse-event.ts'

/** Events that may be compared in vain before comparing is given up: some servers change more than the text. */
const missesMax = 8

const [space, quote, backslash, zero, nine, lastAscii] = [0x20, 0x22, 0x5c, 0x30, 0x39, 0x7f]

/** What stands in a place where events differ. */
type Filling = 'text' | 'padding' | 'count' | 'blank'

/** Such a place in the data of an event. */
interface Place {
  readonly filling: Filling
  readonly start: number
  readonly end: number
}

/** What the events of a pattern have in common: the bytes around the places where they differ. */
interface Pattern {
  readonly first: Buffer
  readonly places: ReadonlyArray<{ readonly filling: Filling; readonly after: Buffer }>
}

type Reading = Pick<Passthrough, 'event' | 'changing'>

/**
 * Reads the events of one stream. Nearly all of them are the one before with another text, so the bytes of each are compared with it, and
 * only an event that differs in more is decoded and parsed.
 */
export class SameEventReader {
  readonly #passthrough: Reading
  #pattern: Pattern | null = null
  /** Whether the text of the pattern is reasoning; missing: the dialect does not say. */
  #isThinking: boolean | undefined
  #misses = 0
  /** Counts of the last event, in the order of their places. They are totals, which only grow. */
  #counts: number[] = []
  /** What stood behind the text of the last event; `null`: not known, or it may differ in more than its counts. */
  #tail: Tail | null = null
  /** The last event whose counts were only compared. */
  #uncounted: SseEvent | null = null

  constructor(passthrough: Reading) {
    this.#passthrough = passthrough
    if (passthrough.changing === undefined) this.#misses = missesMax
  }

  /** Reads an event by its bytes; `null`: it differs from an earlier one in more than may change, or counts less. Its usage is left out. */
  same(event: SseEvent): PassedEvent | null {
    const text = this.#pattern === null ? null : this.#textOf(event.raw, this.#pattern)
    if (text === null) return null
    this.#misses = 0
    if (this.#counts.length > 0) this.#uncounted = event
    const hasReasoning = this.#isThinking && text !== ''
    return { usage: null, text, finished: false, usageOnly: false, failure: null, callsTools: false, hasReasoning: hasReasoning }
  }

  /** Reads any event. */
  read(data: string, raw: Uint8Array): PassedEvent {
    const event = this.#passthrough.event(data)
    if (this.#misses < missesMax && this.#isPlain(event)) this.#learn(data, raw)
    return event
  }

  /** The usage reported by the events that were only compared; `null`: none, or it was already taken. */
  takeUsage(): PassedEvent['usage'] {
    const event = this.#uncounted
    this.#uncounted = null
    return event === null ? null : this.#passthrough.event(event.data ?? '').usage
  }

  #textOf(raw: Uint8Array, pattern: Pattern): string | null {
    const text = this.#tail === null ? null : textBefore(this.#tail, raw, this.#counts)
    if (text !== null) return text
    const located = textWithin(raw, pattern, this.#counts)
    this.#tail = located === null ? null : tailOf(raw, pattern)
    return located
  }

  #learn(data: string, raw: Uint8Array): void {
    this.#misses += 1
    this.#pattern = null
    this.#tail = null
    this.#counts = []
    for (const member of this.#passthrough.changing?.text ?? []) {
      const places = placesIn(data, member, this.#passthrough.changing)
      if (places === null || !this.#isReadThere(data, places)) continue
      this.#pattern = patternOf(data, places, decoder.decode(raw).split(data))
      this.#counts = places.filter(({ filling }) => filling === 'count').map(({ start, end }) => Number(data.slice(start, end)))
      return
    }
  }

  /** Whether the text that was found is the one that is read. */
  #isReadThere(data: string, places: readonly Place[]): boolean {
    const { start, end } = places.find(({ filling }) => filling === 'text') ?? { start: 0, end: 0 }
    const event = this.#passthrough.event(`${data.slice(0, start)}${probe}${data.slice(end)}`)
    this.#isThinking = event.hasReasoning
    return this.#isPlain(event) && event.text === probe
  }

  /** It says nothing but its text, and counts that may change. */
  #isPlain({
    usage,
    finished,
    usageOnly,
    failure,
    isEmpty,
    isLast,
    isOutputBlock,
    callsTools,
    needsRewrite,
    searches,
    isPart,
    isSourced,
    media,
  }: PassedEvent): boolean {
    const isCounted = usage !== null && this.#passthrough.changing?.counts !== undefined
    if ((usage !== null && !isCounted) || failure !== null || media !== undefined || (searches ?? 0) > 0) return false
    return ![finished, usageOnly, isEmpty, isLast, isOutputBlock, callsTools, needsRewrite, isPart, isSourced].includes(true)
  }
}

const probe = 'probe'

/** Where the events that are like this one differ, in order. `null`: the event does not have the member, or has it twice. */
function placesIn(data: string, member: string, { padding, counts = [] }: Partial<NonNullable<Reading['changing']>> = {}) {
  const texts = textsOf(data, member)
  const [text, ...others] = texts
  if (text === undefined || others.length > 0) return null
  const paddings = padding === undefined ? [] : textsOf(data, padding).slice(0, 1)
  const places: readonly Place[] = [
    { ...text, filling: 'text' },
    ...paddings.map((place): Place => ({ ...place, filling: 'padding' })),
    ...counts.flatMap((name) => countsOf(data, name)),
    ...blanksOf(data),
  ]
  return places.toSorted((one, other) => one.start - other.start)
}

/** Where the texts of a member stand. A quote within a text has a backslash before it, so the name of no member is found there. */
function textsOf(data: string, member: string): ReadonlyArray<Omit<Place, 'filling'>> {
  return [...data.matchAll(new RegExp(`"${member}"\\s*:\\s*"`, 'g'))].map(({ 0: head, index }) => {
    const start = index + head.length
    return { start, end: start + (/^(?:[^"\\]|\\.)*/.exec(data.slice(start))?.[0].length ?? 0) }
  })
}

function countsOf(data: string, member: string): readonly Place[] {
  return [...data.matchAll(new RegExp(`"${member}"\\s*:\\s*(\\d{1,15})(?=[\\s,}])`, 'g'))].map(({ 0: match, 1: digits = '', index }) => {
    const end = index + match.length
    return { filling: 'count', start: end - digits.length, end }
  })
}

/** Anthropic hides the length of its events behind blanks at the end of their data. */
function blanksOf(data: string): readonly Place[] {
  if (!data.endsWith('}')) return []
  const end = data.length - 1
  let start = end
  while (data[start - 1] === ' ') start -= 1
  return [{ filling: 'blank', start, end }]
}

/**
 * Adds what an event has around its data. Neither that nor what stands in a place has a line end, so an event with these bytes is
 * one whole event. @returns `null` = the data is not in the event as it is
 */
function patternOf(data: string, places: readonly Place[], [start, end, ...more]: readonly string[]): Pattern | null {
  if (start === undefined || end === undefined || more.length > 0) return null
  const [first] = places
  return {
    first: Buffer.from(start + data.slice(0, first?.start)),
    places: places.map((place, index) => {
      const next = places[index + 1]
      return { filling: place.filling, after: Buffer.from(data.slice(place.end, next?.start) + (next === undefined ? end : '')) }
    }),
  }
}

/** The text of an event that has the pattern, whose counts are written to the list. `null`: it has another, or counts less than the list. */
function textWithin(raw: Uint8Array, { first, places }: Pattern, counts: number[]): string | null {
  if (!isAt(raw, 0, first)) return null
  let at = first.length
  let [textStart, textEnd, counted] = [0, 0, 0]
  for (const { filling, after } of places) {
    const end = endOf(filling, raw, at)
    if (end === -1 || !isAt(raw, end, after)) return null
    if (filling === 'text') [textStart, textEnd] = [at, end]
    else if (filling === 'count') {
      const count = countIn(raw, at, end)
      if (count < (counts[counted] ?? 0)) return null
      counts[counted] = count
      counted += 1
    }
    at = end + after.length
  }
  return at === raw.length ? textOf(raw, textStart, textEnd) : null
}

/**
 * The bytes before and behind the text of an event, and where counts stand behind it. Most counts have as many digits as in the event before, and
 * then all that is behind the text is compared in one step, instead of each part between two counts.
 */
interface Tail {
  readonly first: Buffer
  readonly bytes: Buffer
  readonly counts: ReadonlyArray<{ readonly start: number; readonly end: number }>
}

/** The tail of an event that has the pattern. `null`: it has no counts, or text behind them. */
function tailOf(raw: Uint8Array, { first, places }: Pattern): Tail | null {
  const [text, ...others] = places
  if (text?.filling !== 'text' || !others.some(({ filling }) => filling === 'count')) return null
  if (others.some(({ filling }) => filling !== 'count' && filling !== 'blank')) return null
  const tailStart = endOfText(raw, first.length)
  const counts: Array<Tail['counts'][number]> = []
  let at = tailStart + text.after.length
  for (const { filling, after } of others) {
    const end = endOf(filling, raw, at)
    if (filling === 'count') counts.push({ start: at - tailStart, end: end - tailStart })
    at = end + after.length
  }
  return { first, bytes: Buffer.from(raw.subarray(tailStart)), counts }
}

/** The text of an event that has this tail, whose counts are written to the list and to the tail. `null`: it may have another. */
function textBefore({ first, bytes, counts: places }: Tail, raw: Uint8Array, counts: number[]): string | null {
  if (!isAt(raw, 0, first)) return null
  const start = endOfText(raw, first.length)
  if (start === -1 || raw.length - start !== bytes.length) return null
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index]
    const count = place === undefined ? -1 : countWithin(raw, start, place)
    if (place === undefined || count < (counts[index] ?? 0)) return null
    counts[index] = count
    for (let at = place.start; at < place.end; at += 1) bytes[at] = raw[start + at] ?? 0
  }
  return bytes.compare(raw, start) === 0 ? textOf(raw, first.length, start) : null
}

/** The count that fills a place of the tail; -1: none does. */
function countWithin(raw: Uint8Array, start: number, place: Tail['counts'][number]): number {
  const from = start + place.start
  const to = start + place.end
  if (to - from > 1 && raw[from] === zero) return -1
  let count = 0
  for (let at = from; at < to; at += 1) {
    const digit = raw[at] ?? 0
    if (!isDigit(digit)) return -1
    count = count * 10 + digit - zero
  }
  return count
}

/** Longest part that is compared byte by byte, which is faster for a short one. */
const shortBytesMax = 32

function isAt(raw: Uint8Array, start: number, part: Buffer): boolean {
  const end = start + part.length
  if (end > raw.length) return false
  if (part.length > shortBytesMax) return part.compare(raw, start, end) === 0
  for (let at = 0; at < part.length; at += 1) if (raw[start + at] !== part[at]) return false
  return true
}

/** Where what fills a place ends; -1: something else stands there. */
function endOf(filling: Filling, raw: Uint8Array, start: number): number {
  if (filling === 'count') return endOfCount(raw, start)
  return filling === 'blank' ? endOfBlank(raw, start) : endOfText(raw, start)
}

/** Where the quote stands that ends a JSON text. -1: there is none before a byte that no JSON text has. */
function endOfText(raw: Uint8Array, start: number): number {
  for (let at = start; at < raw.length; at += 1) {
    const byte = raw[at] ?? 0
    if (byte === quote) return at
    if (byte < space) return -1
    if (byte === backslash) at += 1
  }
  return -1
}

/** Digits of a count that is a safe number. */
const digitsMax = 15

function endOfCount(raw: Uint8Array, start: number): number {
  let at = start
  while (isDigit(raw[at])) at += 1
  const digits = at - start
  return digits === 0 || digits > digitsMax || (digits > 1 && raw[start] === zero) ? -1 : at
}

const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine

function countIn(raw: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at < end; at += 1) count = count * 10 + (raw[at] ?? zero) - zero
  return count
}

function endOfBlank(raw: Uint8Array, start: number): number {
  let at = start
  while (raw[at] === space) at += 1
  return at
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
