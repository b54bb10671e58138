import type { SseEvent } from '../model/sse-event.ts'
import { lineBytesMax, SseLineTooLong, type SseReader } from './sse.ts'

const lineFeed = 10
const nothing = new Uint8Array()
const decoder = new TextDecoder()

/** Splits newline-delimited JSON (github.com/ndjson/ndjson-spec, read 2026-11-22) into one event for each line that is not blank. */
export function createNdjsonReader(lineMax = lineBytesMax): SseReader {
  return new NdjsonReader(lineMax)
}

class NdjsonReader implements SseReader {
  readonly #lineMax: number
  /** Pieces of the line that is not complete. */
  #pieces: Uint8Array[] = []
  #length = 0

  constructor(lineMax: number) {
    this.#lineMax = lineMax
  }

  get pendingBytes(): number {
    return this.#length
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
    if (this.#length > this.#lineMax) throw new SseLineTooLong()
    this.#pieces.push(piece)
  }

  #take(): SseEvent | null {
    const [first = nothing] = this.#pieces
    const raw = this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    const line = decoder.decode(raw).trim()
    return line === '' ? null : { data: line, raw }
  }
}
