import type { SseEvent } from '../model/sse-event.ts'
import { bareEventsOf, beginsBare, beginsField, endedEvent, isWholeData, isWholeLine } from './loose-events.ts'

export interface SseReader {
  /** Appends bytes and returns the events that they complete. @throws SseLineTooLong */
  push(chunk: Uint8Array): readonly SseEvent[]
  /** Bytes that are held of the incomplete event. Missing: none. */
  readonly pendingBytes?: number
  /** The stream has ended: the events that this completes. Missing: none ever are. @throws BrokenEventStream */
  end?(): readonly SseEvent[]
}

/** Far longer than any real line. A longer one is an error: truncating it would falsify it, buffering it would fill the memory. */
export const lineBytesMax = 4 * 1024 * 1024
/** For streams whose responses may have images: one of 24 MiB in base64, with its event around it. */
export const imageLineBytesMax = 34 * 1024 * 1024
/** Most bytes of an event of many lines. */
export const eventBytesMax = 2 * lineBytesMax

/** Most lines of an event. Real ones have some; millions of short ones would take seconds and hundreds of megabytes. */
export const eventLinesMax = 10_000

/** A line or an event exceeds its limit. */
export class SseLineTooLong extends Error {}

/** An incomplete event of this size gets room for the longest: growing by copies would leave as many bytes to the garbage collector. */
const longBytesMin = 512 * 1024

const lineFeed = 10
const carriageReturn = 13
/** The `d` of `data`. */
const firstOfData = 100
/** A byte order mark in front of a line is left out. */
const firstOfByteOrderMark = 0xef
const nothing = new Uint8Array()
const noEvents: readonly SseEvent[] = []
const blankLine = Uint8Array.of(lineFeed, lineFeed)

/**
 * Splits a stream into events (WHATWG HTML, "Server-sent events", read 2026-11-21): LF, CRLF and CR end lines, an empty line ends an event.
 * The events do not depend on how the bytes are split into chunks.
 */
export function createSseReader(lineMax = lineBytesMax): SseReader {
  return new EventReader(lineMax)
}

class EventReader implements SseReader {
  readonly #lineMax: number
  readonly #eventMax: number
  /** Bytes of the incomplete event. */
  #pending: Uint8Array | null = null
  /** Buffer of `pending` once it came in several chunks, with spare capacity: a line of a million chunks is not copied a million times. */
  #room: Uint8Array = nothing
  #used = 0
  /** Offset in `pending` of its last line, and the number of lines before it. */
  #lineStart = 0
  #lines = 0
  /** Offset of the line before that one, if it is of the same event. */
  #before = 0
  /** Events with data so far, and those of them that are JSON without `data:`. */
  readonly #counts: EventCounts = { withData: 0, bare: 0 }
  /** The last byte was a CR: a following LF belongs to it. */
  #endedInReturn = false

  constructor(lineMax: number) {
    this.#lineMax = lineMax
    this.#eventMax = Math.max(lineMax, eventBytesMax)
  }

  get pendingBytes(): number {
    return this.#pending?.length ?? 0
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    if (chunk.length === 0) return []
    const known = this.#pending
    const only = known === null && !this.#endedInReturn ? lineEventOf(chunk) : null
    if (only !== null) {
      this.#counts.withData += 1
      return [only]
    }
    // Skips the LF of a CRLF whose CR ended the previous chunk.
    const skipped = this.#endedInReturn && chunk[0] === lineFeed ? 1 : 0
    const from = (known?.length ?? 0) + skipped
    if (skipped === 1) this.#lineStart = from
    this.#endedInReturn = chunk[chunk.length - 1] === carriageReturn
    if (known !== null) return this.#read(this.#append(known, chunk), { from, eventStart: 0 }, [])
    // The event was already passed on without this LF, so the LF is passed on alone.
    return this.#read(chunk, { from, eventStart: from }, from > 0 ? [{ data: null, raw: chunk.subarray(0, from) }] : [])
  }

  /** Some servers leave out what ends the last event, and some send JSON in no events at all. */
  end(): readonly SseEvent[] {
    if (this.#pending === null) return []
    const events = this.push(blankLine).filter(({ data }) => data !== null && isWholeData(data))
    const [event] = events
    return event !== undefined && this.#counts.withData === 1 && this.#counts.bare === 1 ? [{ ...event, isWhole: true }] : events
  }

  /** @param from offset of the first byte that was not scanned. @throws SseLineTooLong */
  #read(
    bytes: Uint8Array,
    { from, eventStart }: { readonly from: number; readonly eventStart: number },
    events: SseEvent[],
  ): readonly SseEvent[] {
    // Almost all streams end lines with LF only, and a single byte is found much faster.
    const nextEnd = bytes.includes(carriageReturn, from) ? lineEndsOf() : lineFeedAt
    const list = new EventList(bytes, events, this.#counts)
    let start = eventStart
    let eventEnd = findEventEnd(bytes, { from, lineStart: this.#lineStart, lines: this.#lines, before: this.#before }, nextEnd)
    while (eventEnd.end !== -1) {
      // `includes` scanned only the new bytes: only for them is it known that no line ends in a CR.
      if (eventEnd.isOpen) list.addOpen(start, eventEnd.end)
      else if (start >= from && nextEnd === lineFeedAt && isWithoutData(bytes, start, eventEnd.end)) list.addQuiet(start)
      else list.add(start, eventEnd.end)
      start = eventEnd.end
      eventEnd = findEventEnd(bytes, { from: eventEnd.end, lineStart: eventEnd.lineStart, lines: 0, before: eventEnd.end }, nextEnd)
    }
    list.endQuiet(start)
    if (bytes.length - eventEnd.lineStart > this.#lineMax || bytes.length - start > this.#eventMax) throw new SseLineTooLong()
    this.#pending = start === bytes.length ? null : bytes.subarray(start)
    // The room of a long event is not kept for those behind it.
    if (this.#pending === null || (start > 0 && this.#room.length > this.#eventMax)) this.#room = nothing
    this.#lineStart = eventEnd.lineStart - start
    this.#before = eventEnd.before - start
    this.#lines = eventEnd.lines
    return events
  }

  /** Writes only behind bytes that were handed out: those must not change. */
  #append(first: Uint8Array, second: Uint8Array): Uint8Array {
    const isInRoom = first.buffer === this.#room.buffer && this.#used + second.length <= this.#room.length
    const start = isInRoom ? first.byteOffset : 0
    if (!isInRoom) {
      const length = first.length + second.length
      // The memory of pages that are not written to yet is not taken.
      this.#room = new Uint8Array(length < longBytesMin ? 2 * length : this.#eventMax + second.length)
      this.#room.set(first)
      this.#used = first.length
    }
    this.#room.set(second, this.#used)
    this.#used += second.length
    return this.#room.subarray(start, this.#used)
  }
}

interface EventCounts {
  withData: number
  bare: number
}

/** Collects consecutive events of a chunk. Adjacent events without data are merged into one. */
class EventList {
  readonly #bytes: Uint8Array
  readonly #events: SseEvent[]
  readonly #counts: EventCounts
  /** Start of the pending run of events without data; -1: none. */
  #quietStart = -1

  constructor(bytes: Uint8Array, events: SseEvent[], counts: EventCounts) {
    this.#bytes = bytes
    this.#events = events
    this.#counts = counts
  }

  add(start: number, end: number): void {
    const raw = start === 0 && end === this.#bytes.length ? this.#bytes : this.#bytes.subarray(start, end)
    const event = lineEventOf(raw) ?? eventOf(raw)
    const bare = event === null && beginsBare(raw, 0) ? bareEventsOf(raw) : noEvents
    if (event === null && bare.length === 0) {
      this.addQuiet(start)
      return
    }
    this.endQuiet(start)
    if (event === null) {
      this.#counts.bare += bare.length
      for (const one of bare) this.#push(one)
    } else this.#push(event)
  }

  /** Adds an event without the blank line that ends it. */
  addOpen(start: number, end: number): void {
    const raw = endedEvent(this.#bytes.subarray(start, end))
    const event = lineEventOf(raw) ?? eventOf(raw)
    this.endQuiet(start)
    if (event !== null) this.#push(event)
  }

  #push(event: SseEvent): void {
    this.#counts.withData += 1
    this.#events.push(event)
  }

  /** Adds an event without data. */
  addQuiet(start: number): void {
    if (this.#quietStart === -1) this.#quietStart = start
  }

  /** @param end end of the pending run of events without data, if there is one */
  endQuiet(end: number): void {
    if (this.#quietStart !== -1) this.#events.push({ data: null, raw: this.#bytes.subarray(this.#quietStart, end) })
    this.#quietStart = -1
  }
}

interface Place {
  readonly from: number
  readonly lineStart: number
  /** Lines of the event before that one. */
  readonly lines: number
  /** Start of the line before that one. */
  readonly before: number
}

/** Where an event ends; -1: it is incomplete. `lineStart` is the start of the next or the incomplete line. */
interface EventEnd extends Omit<Place, 'from'> {
  readonly end: number
  /** It lacks the blank line: the next event begins behind it. */
  readonly isOpen?: true
}

/** @throws SseLineTooLong */
function findEventEnd(bytes: Uint8Array, start: Place, nextEnd: typeof lineFeedAt): EventEnd {
  let { lineStart, lines, before } = start
  for (let end = nextEnd(bytes, start.from); end !== -1; end = nextEnd(bytes, lineStart)) {
    const isEmpty = end === lineStart
    // Data that is whole is an event when the next one begins.
    const isNext = lines > 0 && !isEmpty && beginsField(bytes, lineStart) && isWholeLine(bytes, before, lineStart)
    if (isNext) return { end: lineStart, lineStart, lines: 0, before: lineStart, isOpen: true }
    before = lineStart
    lineStart = end + (bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? 2 : 1)
    if (isEmpty) return { end: lineStart, lineStart, lines, before }
    lines += 1
    if (lines > eventLinesMax) throw new SseLineTooLong()
  }
  return { end: -1, lineStart, lines, before }
}

/** A function that finds the end of the next line, in bytes that are queried from front to back; -1: not within them. */
function lineEndsOf(): typeof lineFeedAt {
  let feed = -1
  let ret = -1
  return (bytes, from) => {
    // Each is searched for again only behind the one that was found, so no byte is read twice.
    if (feed < from) feed = placeOf(lineFeed, bytes, from)
    if (ret < from) ret = placeOf(carriageReturn, bytes, from)
    const end = Math.min(feed, ret)
    return end === nowhere ? -1 : end
  }
}

const nowhere = Number.POSITIVE_INFINITY

function placeOf(byte: number, bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(byte, from)
  return at === -1 ? nowhere : at
}

/** Where the next line feed is, in bytes without a CR. */
function lineFeedAt(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(lineFeed, from)
}

/** Whether no line of an event with LF line ends can be one of data, for which nothing is decoded: a vendor may send millions of them. */
function isWithoutData(bytes: Uint8Array, start: number, end: number): boolean {
  if (beginsBare(bytes, start)) return false
  for (let line = start; line < end; line = bytes.indexOf(lineFeed, line) + 1) {
    if (bytes[line] === firstOfData || bytes[line] === firstOfByteOrderMark) return false
  }
  return true
}

const decoder = new TextDecoder()
/** For a part of an event, which may begin with the bytes of a byte order mark. */
const partDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

const encoder = new TextEncoder()
const dataField = encoder.encode('data:')
const space = 32
const nameField = encoder.encode('event: ')

/** An event that is one line `data:...`, or one behind a line `event: ...`, as nearly every event is: decoded only on demand. */
class LineEvent implements SseEvent {
  readonly raw: Uint8Array
  readonly #start: number
  readonly #end: number
  #data: string | null = null
  /** All of it, if that is ASCII, so that places of bytes are those of characters; `null`: it is not, or was not decoded. */
  #text: string | null = null

  /** @param start of the line with data @param end of its value */
  constructor(raw: Uint8Array, start: number, end: number) {
    this.raw = raw
    this.#start = start
    this.#end = end
  }

  get data(): string {
    if (this.#data !== null) return this.#data
    const start = this.#start + dataField.length
    this.#data = this.#part(this.raw[start] === space ? start + 1 : start, this.#end)
    return this.#data
  }

  get name(): string | undefined {
    return this.#start === 0 ? undefined : this.#part(nameField.length, this.#start - 1)
  }

  /** Nearly every event is ASCII, and is decoded once: a part of the bytes costs as much as a text of them. */
  #part(start: number, end: number): string {
    if (this.#text === null) {
      const text = partDecoder.decode(this.raw)
      if (text.length !== this.raw.length) return partDecoder.decode(this.raw.subarray(start, end))
      this.#text = text
    }
    return this.#text.slice(start, end)
  }
}

/** `null`: the bytes are not such an event. */
function lineEventOf(bytes: Uint8Array): LineEvent | null {
  const start = isAt(bytes, 0, nameField) ? bytes.indexOf(lineFeed) + 1 : 0
  if (!isAt(bytes, start, dataField) || bytes[bytes.length - 1] !== lineFeed) return null
  const end = bytes.indexOf(lineFeed, start)
  const firstReturn = bytes.indexOf(carriageReturn)
  if (firstReturn === -1) return end === bytes.length - 2 ? new LineEvent(bytes, start, end) : null
  // Google ends lines with CRLF.
  const isTwoReturns = end === bytes.length - 3 && firstReturn === end - 1 && bytes[bytes.length - 2] === carriageReturn
  return isTwoReturns ? new LineEvent(bytes, start, firstReturn) : null
}

function isAt(bytes: Uint8Array, start: number, part: Uint8Array): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[start + at] !== part[at]) return false
  return true
}

/** Any other event. `null`: it has no data. */
function eventOf(raw: Uint8Array): SseEvent | null {
  const lines = decoder.decode(raw).split(/\r\n|\n|\r/)
  const data = lines.filter((line) => line.startsWith('data:')).map(fieldValueOf)
  if (data.length === 0) return null
  const named = lines.findLast((line) => line.startsWith('event:'))
  return { data: data.join('\n'), name: named === undefined ? undefined : fieldValueOf(named), raw }
}

/** The value of a field, without the one space that may follow the colon. */
function fieldValueOf(line: string): string {
  const start = line.indexOf(':') + 1
  return line.slice(line[start] === ' ' ? start + 1 : start)
}
