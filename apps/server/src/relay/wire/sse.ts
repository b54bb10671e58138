import type { SseEvent } from '../model/sse-event.ts'

export interface SseReader {
  /** Takes the next bytes and returns the events that they complete. @throws SseLineTooLong */
  push(chunk: Uint8Array): readonly SseEvent[]
}

/** Nobody sends a line like this in earnest; cutting it silently would be a lie, keeping it a way to fill the memory. */
export const lineBytesMax = 4 * 1024 * 1024
/** The same for an event of many lines that never ends. */
export const eventBytesMax = 2 * lineBytesMax

/** A line, or an event of many, goes on beyond its limit. */
export class SseLineTooLong extends Error {}

const lineFeed = 10
const carriageReturn = 13
const colon = 58
const nothing = new Uint8Array()

/**
 * Splits a stream into events (WHATWG HTML, "Server-sent events", read 2026-11-21): LF, CRLF and CR end lines, an empty line ends
 * an event, and any split of the bytes gives the same events.
 */
export function createSseReader(lineMax = lineBytesMax): SseReader {
  return new EventReader(lineMax)
}

class EventReader implements SseReader {
  readonly #lineMax: number
  readonly #eventMax: number
  /** Bytes of the event that is not complete. */
  #pending: Uint8Array | null = null
  /** Where `pending` stands once it has come in pieces, with room behind it: a line of a million pieces is not copied a million times. */
  #room: Uint8Array = nothing
  #used = 0
  /** Where in `pending` its last line begins. */
  #lineStart = 0
  /** The last byte was a CR: a LF that comes next belongs to it. */
  #endedInReturn = false

  constructor(lineMax: number) {
    this.#lineMax = lineMax
    this.#eventMax = Math.max(lineMax, eventBytesMax)
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    if (chunk.length === 0) return []
    const known = this.#pending
    // A LF that completes a CRLF, whose CR came before, is behind us.
    const skipped = this.#endedInReturn && chunk[0] === lineFeed ? 1 : 0
    const from = (known?.length ?? 0) + skipped
    if (skipped === 1) this.#lineStart = from
    this.#endedInReturn = chunk[chunk.length - 1] === carriageReturn
    if (known !== null) return this.#read(this.#append(known, chunk), { from, eventStart: 0 }, [])
    // The LF of an event that has gone on without it goes on by itself.
    return this.#read(chunk, { from, eventStart: from }, from > 0 ? [{ data: null, raw: chunk.subarray(0, from) }] : [])
  }

  /** @param from where what nobody has looked at begins. @throws SseLineTooLong */
  #read(
    bytes: Uint8Array,
    { from, eventStart }: { readonly from: number; readonly eventStart: number },
    events: SseEvent[],
  ): readonly SseEvent[] {
    // Hardly anybody ends lines otherwise than by LF, which can be looked for much faster.
    const nextEnd = bytes.includes(carriageReturn, from) ? lineEnd : lineFeedAt
    const list = new EventList(bytes, events)
    let start = eventStart
    let found = findEventEnd(bytes, { from, lineStart: this.#lineStart }, nextEnd)
    while (found.end !== -1) {
      // Only of what came now is it known that no line in it ends in a CR.
      if (start >= from && nextEnd === lineFeedAt && isComment(bytes, start, found.end)) list.addQuiet(start)
      else list.add(start, found.end)
      start = found.end
      found = findEventEnd(bytes, { from: found.end, lineStart: found.lineStart }, nextEnd)
    }
    list.endQuiet(start)
    if (bytes.length - found.lineStart > this.#lineMax || bytes.length - start > this.#eventMax) throw new SseLineTooLong()
    this.#pending = start === bytes.length ? null : bytes.subarray(start)
    if (this.#pending === null) this.#room = nothing
    this.#lineStart = found.lineStart - start
    return events
  }

  /** Only bytes behind those that somebody may have seen are written. */
  #append(first: Uint8Array, second: Uint8Array): Uint8Array {
    const isInRoom = first.buffer === this.#room.buffer && this.#used + second.length <= this.#room.length
    const start = isInRoom ? first.byteOffset : 0
    if (!isInRoom) {
      this.#room = new Uint8Array(2 * (first.length + second.length))
      this.#room.set(first)
      this.#used = first.length
    }
    this.#room.set(second, this.#used)
    this.#used += second.length
    return this.#room.subarray(start, this.#used)
  }
}

/** Events as they stand one behind the other in some bytes. Those without data that stand together become one. */
class EventList {
  readonly #bytes: Uint8Array
  readonly #events: SseEvent[]
  /** Where those without data begin; -1 = there are none right before. */
  #quietStart = -1

  constructor(bytes: Uint8Array, events: SseEvent[]) {
    this.#bytes = bytes
    this.#events = events
  }

  add(start: number, end: number): void {
    const raw = start === 0 && end === this.#bytes.length ? this.#bytes : this.#bytes.subarray(start, end)
    const data = dataOf(raw)
    if (data === null) {
      this.addQuiet(start)
      return
    }
    this.endQuiet(start)
    this.#events.push({ data, raw })
  }

  /** Adds one without data. */
  addQuiet(start: number): void {
    if (this.#quietStart === -1) this.#quietStart = start
  }

  /** @param end of those without data, if there are any */
  endQuiet(end: number): void {
    if (this.#quietStart !== -1) this.#events.push({ data: null, raw: this.#bytes.subarray(this.#quietStart, end) })
    this.#quietStart = -1
  }
}

interface Place {
  readonly from: number
  readonly lineStart: number
}

/** Reads lines until an empty one; -1 = the bytes end before. `lineStart` is where the line begins that comes next or is not complete. */
function findEventEnd(bytes: Uint8Array, start: Place, nextEnd: typeof lineEnd): { readonly end: number; readonly lineStart: number } {
  let { lineStart } = start
  for (let end = nextEnd(bytes, start.from); end !== -1; end = nextEnd(bytes, lineStart)) {
    const isEmpty = end === lineStart
    lineStart = end + (bytes[end] === carriageReturn && bytes[end + 1] === lineFeed ? 2 : 1)
    if (isEmpty) return { end: lineStart, lineStart }
  }
  return { end: -1, lineStart }
}

/** Where the next line ends; -1 = not within these bytes. */
function lineEnd(bytes: Uint8Array, from: number): number {
  for (let index = from; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === lineFeed || byte === carriageReturn) return index
  }
  return -1
}

/** The same where no line ends in a CR. */
function lineFeedAt(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(lineFeed, from)
}

/** Whether an event, whose lines end in LF, is one line of comment. */
function isComment(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes[start] === colon && bytes.indexOf(lineFeed, start) === end - 2
}

const decoder = new TextDecoder()

/** The data of an event. Nearly every event is one `data: ...` line, so that goes the short way. */
function dataOf(raw: Uint8Array): string | null {
  const text = decoder.decode(raw)
  if (text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && !text.includes('\r')) return text.slice(6, -2)
  const lines = text
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(line.startsWith('data: ') ? 6 : 5)] : []))
  return lines.length === 0 ? null : lines.join('\n')
}
