/** One complete server-sent event as it came. */
export interface SseEvent {
  /** The joined `data:` lines; `null` for an event that has none (comments, heartbeats). */
  readonly data: string | null
  /** The bytes of the event, its blank line included. Shared with the chunk they came in: not to be changed. */
  readonly raw: Uint8Array
}

export interface SseReader {
  /** Takes the next bytes and returns the events that they complete. @throws SseLineTooLong */
  push(chunk: Uint8Array): readonly SseEvent[]
}

/** Nobody sends a line like this in earnest; cutting it silently would be a lie, keeping it a way to fill the memory. */
export const lineBytesMax = 4 * 1024 * 1024

export class SseLineTooLong extends Error {}

const lineFeed = 10
const carriageReturn = 13

/** Splits a stream into events (WHATWG HTML, "Server-sent events", read 2026-11-21): LF, CRLF and CR end lines; any split of the bytes gives the same events. */
export function createSseReader(): SseReader {
  /** Bytes of an event that is not complete. */
  let pending: Uint8Array | null = null
  /** Where in `pending` the search goes on. */
  let scanned = 0
  let lineStart = 0
  /** The last byte was CR: a LF that follows belongs to it. */
  let isAfterReturn = false

  return {
    push(chunk) {
      const bytes = pending === null ? chunk : concat(pending, chunk)
      const events: SseEvent[] = []
      let eventStart = 0
      let index = scanned
      for (; index < bytes.length; index++) {
        const byte = bytes[index]
        if (byte === lineFeed && isAfterReturn) {
          isAfterReturn = false
          // The LF of a CRLF: if the CR ended an event, it goes with that event.
          if (lineStart === index) {
            lineStart = index + 1
            if (eventStart === index) eventStart = extendLast(events, bytes, index)
          }
          continue
        }
        isAfterReturn = byte === carriageReturn
        if (byte !== lineFeed && byte !== carriageReturn) continue
        if (index === lineStart) {
          const raw = bytes.subarray(eventStart, index + 1)
          events.push({ data: dataOf(raw), raw })
          eventStart = index + 1
        }
        lineStart = index + 1
      }
      if (bytes.length - lineStart > lineBytesMax) throw new SseLineTooLong()
      pending = eventStart === bytes.length ? null : bytes.subarray(eventStart)
      scanned = bytes.length - eventStart
      lineStart -= eventStart
      return events
    },
  }
}

function extendLast(events: SseEvent[], bytes: Uint8Array, index: number): number {
  const last = events.pop()
  if (last !== undefined) events.push({ data: last.data, raw: bytes.subarray(last.raw.byteOffset - bytes.byteOffset, index + 1) })
  return index + 1
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

const decoder = new TextDecoder()

/** The data of an event. Nearly every event is one `data: ...` line, so that goes the short way. */
function dataOf(raw: Uint8Array): string | null {
  const text = decoder.decode(raw)
  if (text.startsWith('data: ')) {
    const end = text.indexOf('\n')
    if (end > 0 && end === text.length - 2) return text.slice(6, text.charCodeAt(end - 1) === carriageReturn ? end - 1 : end)
  }
  const lines = text.split(/\r\n|\n|\r/).flatMap((line) => (line.startsWith('data:') ? [line.slice(line.startsWith('data: ') ? 6 : 5)] : []))
  return lines.length === 0 ? null : lines.join('\n')
}
