import type { SseEvent } from '../model/sse-event.ts'
import { SseLineTooLong, type SseReader } from './sse.ts'

/** A frame is not as its checksums or lengths say. */
export class BrokenEventStream extends Error {}

/** Total length, length of the headers, checksum of both; and the checksum at the end. */
const preludeBytes = 12
const checksumBytes = 4
/** Far longer than any real frame; AWS names 16 MiB as the largest. */
const frameBytesMax = 16 * 1024 * 1024

/** Types of header values (AWS, "Event stream encoding", read 2026-11-22): the number of bytes, or that two bytes name it. */
const valueBytes: Readonly<Record<number, number | 'named'>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: 'named', 7: 'named', 8: 8, 9: 16 }
const textType = 7

const decoder = new TextDecoder()

/**
 * Splits AWS's event streams (`application/vnd.amazon.eventstream`) into events with the name of their type and the payload as text. An
 * exception is an event with the name of its type. Both checksums of a frame are verified.
 */
export function createEventStreamReader(frameMax = frameBytesMax): SseReader {
  return new EventStreamReader(frameMax)
}

class EventStreamReader implements SseReader {
  readonly #frameMax: number
  /** Pieces of the frame that is not complete, with their length together and the length that the frame names (0: not known yet). */
  #pieces: Uint8Array[] = []
  #length = 0
  #frameBytes = 0

  constructor(frameMax: number) {
    this.#frameMax = frameMax
  }

  get pendingBytes(): number {
    return this.#length
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    this.#pieces.push(chunk)
    this.#length += chunk.length
    if (this.#length < Math.max(this.#frameBytes, preludeBytes)) return []
    let bytes = this.#pieces.length === 1 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat(this.#pieces)
    const events: SseEvent[] = []
    try {
      for (;;) {
        this.#frameBytes = this.#lengthOf(bytes)
        if (this.#frameBytes === 0 || bytes.length < this.#frameBytes) break
        events.push(eventOf(bytes.subarray(0, this.#frameBytes)))
        bytes = bytes.subarray(this.#frameBytes)
      }
    } catch (error) {
      // The events before it count, and one of them may be the last: what is broken is read again with the next bytes, or at the end.
      if (events.length === 0) throw error
      this.#frameBytes = 0
    }
    this.#pieces = bytes.length === 0 ? [] : [bytes]
    this.#length = bytes.length
    return events
  }

  end(): readonly SseEvent[] {
    if (this.#length > 0) throw new BrokenEventStream('the stream ended within a frame')
    return []
  }

  /** The length of the next frame; 0: its prelude is not complete. */
  #lengthOf(bytes: Buffer): number {
    if (bytes.length < preludeBytes) return 0
    const [total, headers] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
    if (Bun.hash.crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
      throw new BrokenEventStream('the prelude of a frame has a wrong checksum')
    if (total < preludeBytes + headers + checksumBytes) throw new BrokenEventStream('the lengths of a frame do not fit')
    if (total > this.#frameMax) throw new SseLineTooLong()
    return total
  }
}

function eventOf(frame: Buffer): SseEvent {
  const end = frame.length - checksumBytes
  if (Bun.hash.crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new BrokenEventStream('a frame has a wrong checksum')
  const payloadStart = preludeBytes + frame.readUInt32BE(4)
  const headers = headersIn(frame.subarray(preludeBytes, payloadStart))
  const name = headers.get(':event-type') ?? headers.get(':exception-type') ?? headers.get(':error-code')
  const payload = decoder.decode(frame.subarray(payloadStart, end))
  const data = payload === '' ? JSON.stringify({ message: headers.get(':error-message') ?? '' }) : payload
  return { data, name, raw: frame }
}

/** The headers that are texts. */
function headersIn(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const type = bytes[nameEnd] ?? -1
    const size = valueBytes[type]
    if (size === undefined || nameEnd >= bytes.length) throw new BrokenEventStream('a header of a frame has an unknown type')
    const valueStart = nameEnd + 1 + (size === 'named' ? 2 : 0)
    if (valueStart > bytes.length) throw new BrokenEventStream('a header of a frame is cut off')
    const valueEnd = valueStart + (size === 'named' ? bytes.readUInt16BE(nameEnd + 1) : size)
    if (valueEnd > bytes.length) throw new BrokenEventStream('a header of a frame is cut off')
    if (type === textType)
      headers.set(decoder.decode(bytes.subarray(at + 1, nameEnd)), decoder.decode(bytes.subarray(valueStart, valueEnd)))
    at = valueEnd
  }
  return headers
}
