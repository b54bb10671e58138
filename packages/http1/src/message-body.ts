/** How a message says where its body ends (RFC 9112, 6.3): bytes, chunks, or the end of the connection. */
export type Framing = number | 'chunked' | 'until-close'

/** What came is no message of HTTP/1, or broke off. */
export class MalformedMessage extends Error {}

/** Longest chunk-size line, and longest of all trailers together: far beyond what anybody sends. */
const lineBytesMax = 8 * 1024
/** Digits of the size of a chunk. */
const sizeDigitsMax = 12

const [tab, lineFeed, carriageReturn, space, semicolon] = [9, 10, 13, 32, 59]

type State = 'length' | 'until-close' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'over'

const firstState = { chunked: 'size', 'until-close': 'until-close' } as const

/** Gets the bytes of bodies, without what stands around them. */
export interface BodyBytes {
  data(bytes: Buffer): void
}

/** Takes bodies apart, however their bytes are cut. One reader serves all messages of a connection, one after another. */
export class BodyReader {
  readonly #sink: BodyBytes
  #state: State = 'over'
  /** Bytes of the body or chunk that are still to come. */
  #left = 0
  /** The beginning of a line that is not complete. */
  #line: Buffer | null = null
  #trailerBytes = 0

  constructor(sink: BodyBytes) {
    this.#sink = sink
  }

  begin(framing: Framing): void {
    this.#line = null
    this.#trailerBytes = 0
    if (typeof framing !== 'number') {
      this.#state = firstState[framing]
      return
    }
    this.#left = framing
    this.#state = framing === 0 ? 'over' : 'length'
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Whether the end of the connection is the end of the body. */
  get endsWithConnection(): boolean {
    return this.#state === 'until-close'
  }

  /** Takes the next bytes. @returns those behind the body's end; `null`: it goes on. @throws MalformedMessage */
  push(bytes: Buffer): Buffer | null {
    let at = 0
    while (at < bytes.length && this.#state !== 'over') at = this.#step(bytes, at)
    return this.#state === 'over' ? bytes.subarray(at) : null
  }

  /** Takes what it can use from `at` on. @returns where the rest begins */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'length':
        return this.#pass(bytes, at, 'over')
      case 'chunk':
        return this.#pass(bytes, at, 'chunk-end')
      case 'until-close':
        this.#sink.data(at === 0 ? bytes : bytes.subarray(at))
        return bytes.length
      default:
        return this.#readLine(bytes, at)
    }
  }

  #pass(bytes: Buffer, at: number, next: State): number {
    const end = Math.min(at + this.#left, bytes.length)
    this.#left -= end - at
    if (this.#left === 0) this.#state = next
    this.#sink.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end))
    return end
  }

  #readLine(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(lineFeed, at)
    if (this.#line !== null || found === -1) return this.#joinLine(bytes, at, found)
    if (found === at || bytes[found - 1] !== carriageReturn) throw new MalformedMessage('a line does not end as it must')
    this.#endLine(bytes, at, found - 1)
    return found + 1
  }

  /** A line that comes in pieces. @param found where it ends; -1 = not yet */
  #joinLine(bytes: Buffer, at: number, found: number): number {
    const end = found === -1 ? bytes.length : found + 1
    const piece = bytes.subarray(at, end)
    const line: Buffer = this.#line === null ? piece : Buffer.concat([this.#line, piece])
    if (line.length > lineBytesMax) throw new MalformedMessage('a line has no end')
    this.#line = found === -1 ? line : null
    if (found === -1) return end
    if (line.length < 2 || line[line.length - 2] !== carriageReturn) throw new MalformedMessage('a line does not end as it must')
    this.#endLine(line, 0, line.length - 2)
    return end
  }

  /** @param end where the line ends, without its CRLF */
  #endLine(bytes: Buffer, start: number, end: number): void {
    switch (this.#state) {
      case 'size':
        this.#left = sizeOf(bytes, start, end)
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return
      case 'chunk-end':
        if (end !== start) throw new MalformedMessage('a chunk is longer than it said')
        this.#state = 'size'
        return
      default:
        // Trailers say nothing that matters here; an empty line ends them.
        this.#trailerBytes += end - start
        if (this.#trailerBytes > lineBytesMax) throw new MalformedMessage('the trailers are too long')
        if (end === start) this.#state = 'over'
    }
  }
}

/** The size in front of a chunk. What follows a semicolon is an extension, which nobody here knows. @throws MalformedMessage */
function sizeOf(bytes: Buffer, start: number, end: number): number {
  let size = 0
  let at = start
  for (; at < end; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0)
    if (digit === -1) break
    size = size * 16 + digit
  }
  if (at === start || at - start > sizeDigitsMax) throw new MalformedMessage('a size of a chunk is no number')
  while (at < end && (bytes[at] === space || bytes[at] === tab)) at += 1
  if (at < end && bytes[at] !== semicolon) throw new MalformedMessage('a size of a chunk is no number')
  return size
}

/** -1 = it is none. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
