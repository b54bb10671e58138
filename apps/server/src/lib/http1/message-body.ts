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
    let rest = bytes
    while (rest.length > 0 && this.#state !== 'over') rest = this.#step(rest)
    return this.#state === 'over' ? rest : null
  }

  #step(bytes: Buffer): Buffer {
    switch (this.#state) {
      case 'length':
        return this.#pass(bytes, 'over')
      case 'chunk':
        return this.#pass(bytes, 'chunk-end')
      case 'until-close':
        this.#sink.data(bytes)
        return bytes.subarray(bytes.length)
      default:
        return this.#readLine(bytes)
    }
  }

  #pass(bytes: Buffer, next: State): Buffer {
    const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left)
    this.#left -= part.length
    if (this.#left === 0) this.#state = next
    this.#sink.data(part)
    return bytes.subarray(part.length)
  }

  #readLine(bytes: Buffer): Buffer {
    const whole = this.#line === null ? bytes : Buffer.concat([this.#line, bytes])
    const end = whole.indexOf(lineFeed)
    if (end === -1) {
      if (whole.length > lineBytesMax) throw new MalformedMessage('a line has no end')
      this.#line = whole
      return bytes.subarray(bytes.length)
    }
    this.#line = null
    if (end === 0 || whole[end - 1] !== carriageReturn) throw new MalformedMessage('a line does not end as it must')
    this.#endLine(whole, end - 1)
    return whole.subarray(end + 1)
  }

  /** @param end where the line ends, without its CRLF */
  #endLine(bytes: Buffer, end: number): void {
    switch (this.#state) {
      case 'size':
        this.#left = sizeOf(bytes, end)
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return
      case 'chunk-end':
        if (end !== 0) throw new MalformedMessage('a chunk is longer than it said')
        this.#state = 'size'
        return
      default:
        // Trailers say nothing that matters here; an empty line ends them.
        this.#trailerBytes += end
        if (this.#trailerBytes > lineBytesMax) throw new MalformedMessage('the trailers are too long')
        if (end === 0) this.#state = 'over'
    }
  }
}

/** The size in front of a chunk. What follows a semicolon is an extension, which nobody here knows. @throws MalformedMessage */
function sizeOf(bytes: Buffer, end: number): number {
  let size = 0
  let at = 0
  for (; at < end; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0)
    if (digit === -1) break
    size = size * 16 + digit
  }
  if (at === 0 || at > sizeDigitsMax) throw new MalformedMessage('a size of a chunk is no number')
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
