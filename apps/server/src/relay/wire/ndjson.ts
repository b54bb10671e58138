import { ByteQueue } from '@sluice/http1/byte-queue'
import type { SseEvent } from '../model/sse-event.ts'
import { lineBytesMax, SseLineTooLong, type SseReader } from './sse.ts'

const lineFeed = 10
const decoder = new TextDecoder()

/** Splits newline-delimited JSON (github.com/ndjson/ndjson-spec, read 2026-11-22) into one event for each line that is not blank. */
export function createNdjsonReader(lineMax = lineBytesMax): SseReader {
  return new NdjsonReader(lineMax, () => {
    throw new SseLineTooLong()
  })
}

/** Splits NDJSON like `createNdjsonReader`, but leaves out lines that are too long, so that they cost none of the others. */
export function createSkippingNdjsonReader(lineMax: number): SseReader {
  return new NdjsonReader(lineMax, () => undefined)
}

class NdjsonReader implements SseReader {
  readonly #lineMax: number
  /** The line that is not complete. */
  readonly #line = new ByteQueue()
  /** Bytes of that line, also of what is left out. */
  #length = 0
  readonly #onTooLong: () => void

  constructor(lineMax: number, onTooLong: () => void) {
    this.#lineMax = lineMax
    this.#onTooLong = onTooLong
  }

  get pendingBytes(): number {
    return this.#isTooLong ? 0 : this.#length
  }

  get #isTooLong(): boolean {
    return this.#length > this.#lineMax
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    const events: SseEvent[] = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#add(chunk.subarray(start, end + 1))
      const event = this.#take()
      if (event !== null) events.push(event)
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
    return events
  }

  /** The last line may end with the stream instead of a line feed. */
  end(): readonly SseEvent[] {
    const event = this.#take()
    return event === null ? [] : [event]
  }

  #add(piece: Uint8Array): void {
    this.#length += piece.length
    if (this.#isTooLong) {
      this.#line.clear()
      this.#onTooLong()
    } else this.#line.push(piece)
  }

  #take(): SseEvent | null {
    // Of a line that is too long, nothing is left.
    const raw = this.#line.takeAll()
    this.#length = 0
    const line = decoder.decode(raw).trim()
    return line === '' ? null : { data: line, raw }
  }
}
