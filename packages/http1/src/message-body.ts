/** How a message says where its body ends (RFC 9112, 6.3): bytes, chunks, or the end of the connection. */
export type Framing = number | 'chunked' | 'until-close'

/** The bytes are not an HTTP/1 message, or the message is incomplete. */
export class MalformedMessage extends Error {}

/** The message is incomplete: the connection was closed within it. */
export class CutMessage extends MalformedMessage {}

/** Most bytes of a line, and of all trailers together: far above what clients send. */
const lineBytesMax = 8 * 1024
/** Most digits of a chunk's size. */
const sizeDigitsMax = 12
/** Most digits, and the byte behind them, of a chunk that is read in one step: a read is never longer than a megabyte. */
const loneDigitsMax = 6
/** Most bytes of a chunk extension: a chunk signature has 82. */
const extensionBytesMax = 256
/** Most bytes of all extensions together, in addition to twice the bytes of their chunks. */
const excessBytesMax = 16 * 1024
/** Smaller chunks that arrive in one read are moved together, so that the sink gets them as one piece. */
const movedBytesMax = 4 * 1024

const [lineFeed, carriageReturn] = [10, 13]

type State = 'length' | 'until-close' | 'size' | 'chunk' | 'chunk-end' | 'trailers' | 'over'

const firstState = { chunked: 'size', 'until-close': 'until-close' } as const

/** Receives the bytes of bodies, without their framing. */
export interface BodyBytes {
  data(bytes: Buffer): void
}

/**
 * Decodes bodies, however their bytes are split. One reader serves all messages of a connection, one after another. It owns the bytes that
 * it is given, and moves small chunks together in them.
 */
export class BodyReader {
  readonly #sink: BodyBytes
  #state: State = 'over'
  /** Missing bytes of the body or chunk. */
  #left = 0
  /** The beginning of an incomplete line. */
  #line: Buffer | null = null
  #trailerBytes = 0
  #excessBytes = 0
  /** Range of chunk data in the current bytes that was not passed to the sink yet. */
  #runStart = 0
  #runEnd = 0

  constructor(sink: BodyBytes) {
    this.#sink = sink
  }

  begin(framing: Framing): void {
    this.#line = null
    this.#trailerBytes = 0
    this.#excessBytes = 0
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

  /** Reads the next bytes. @returns the bytes behind the end of the body; `null` = the body continues. @throws MalformedMessage */
  push(bytes: Buffer): Buffer | null {
    const start = this.#state === 'size' && this.#line === null ? startOfLoneChunk(bytes) : -1
    if (start !== -1) {
      this.#sink.data(bytes.subarray(start, bytes.length - 2))
      return null
    }
    let at = 0
    try {
      while (at < bytes.length && this.#state !== 'over') at = this.#step(bytes, at)
    } finally {
      this.#giveRun(bytes)
    }
    return this.#state === 'over' ? bytes.subarray(at) : null
  }

  /** Reads one part of the body from `at` on. @returns where the rest begins */
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
    if (this.#runEnd > this.#runStart && end - at < movedBytesMax) this.#extendRun(bytes, at, end)
    else {
      this.#giveRun(bytes)
      this.#runStart = at
      this.#runEnd = end
    }
    return end
  }

  /** Moves the bytes of a chunk directly behind those of the chunk before it, over the size line between them. */
  #extendRun(bytes: Buffer, start: number, end: number): void {
    if (end - start === 1) bytes[this.#runEnd] = bytes[start] ?? 0
    else bytes.copyWithin(this.#runEnd, start, end)
    this.#runEnd += end - start
  }

  #giveRun(bytes: Buffer): void {
    const start = this.#runStart
    const end = this.#runEnd
    if (end === start) return
    this.#runStart = 0
    this.#runEnd = 0
    this.#sink.data(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end))
  }

  #readLine(bytes: Buffer, at: number): number {
    const lineEnd = bytes.indexOf(lineFeed, at)
    if (this.#line !== null || lineEnd === -1) return this.#joinLine(bytes, at, lineEnd)
    if (lineEnd === at || bytes[lineEnd - 1] !== carriageReturn) throw new MalformedMessage('a line does not end as it must')
    this.#endLine(bytes, at, lineEnd - 1)
    return lineEnd + 1
  }

  /** Joins a line that arrives in pieces. @param lineEnd position of its end; -1 = not yet */
  #joinLine(bytes: Buffer, at: number, lineEnd: number): number {
    const end = lineEnd === -1 ? bytes.length : lineEnd + 1
    const piece = bytes.subarray(at, end)
    const line: Buffer = this.#line === null ? piece : Buffer.concat([this.#line, piece])
    if (line.length > lineBytesMax) throw new MalformedMessage('a line has no end')
    this.#line = lineEnd === -1 ? line : null
    if (lineEnd === -1) return end
    if (line.length < 2 || line[line.length - 2] !== carriageReturn) throw new MalformedMessage('a line does not end as it must')
    this.#endLine(line, 0, line.length - 2)
    return end
  }

  /** @param end end of the line, without its CRLF */
  #endLine(bytes: Buffer, start: number, end: number): void {
    switch (this.#state) {
      case 'size':
        this.#left = this.#readSize(bytes, start, end)
        this.#state = this.#left === 0 ? 'trailers' : 'chunk'
        return
      case 'chunk-end':
        if (end !== start) throw new MalformedMessage('a chunk is longer than it said')
        this.#state = 'size'
        return
      default:
        if (end === start) this.#state = 'over'
        else this.#checkTrailer(bytes, start, end)
    }
  }

  /** The size of a chunk. The extension behind a semicolon is checked and not interpreted. @throws MalformedMessage */
  #readSize(bytes: Buffer, start: number, end: number): number {
    let size = 0
    let at = start
    for (; at < end; at += 1) {
      const digit = hexDigit(bytes[at] ?? 0)
      if (digit === -1) break
      size = size * 16 + digit
    }
    if (at === start || at - start > sizeDigitsMax) throw new MalformedMessage('a size of a chunk is no number')
    if (at < end) this.#checkExtension(bytes.toString('latin1', at, Math.min(end, at + extensionBytesMax + 1)), size)
    return size
  }

  /** @throws MalformedMessage */
  #checkExtension(text: string, size: number): void {
    if (text.length > extensionBytesMax) throw new MalformedMessage('an extension of a chunk is too long')
    if (!extensionForm.test(text)) throw new MalformedMessage('a size of a chunk is no number')
    this.#excessBytes = Math.max(0, this.#excessBytes + text.length - 2 * size)
    if (this.#excessBytes > excessBytesMax) throw new MalformedMessage('the extensions of the chunks are too long')
  }

  /** Trailers are ignored, but must have the form of fields. @throws MalformedMessage */
  #checkTrailer(bytes: Buffer, start: number, end: number): void {
    this.#trailerBytes += end - start
    if (this.#trailerBytes > lineBytesMax) throw new MalformedMessage('the trailers are too long')
    if (!fieldForm.test(bytes.toString('latin1', start, end))) throw new MalformedMessage('a trailer is no field')
  }
}

/**
 * Where the data of a chunk begins if the bytes are this chunk and nothing else, which is what a server sends that writes event by event.
 * -1 = they are not, or the size has an extension.
 */
function startOfLoneChunk(bytes: Buffer): number {
  const end = bytes.length - 2
  if (bytes[end] !== carriageReturn || bytes[end + 1] !== lineFeed) return -1
  let size = 0
  for (let at = 0; at < loneDigitsMax; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0)
    if (digit === -1) {
      const start = at + 2
      const isWhole = size > 0 && start + size === end && bytes[at] === carriageReturn && bytes[at + 1] === lineFeed
      return isWhole ? start : -1
    }
    size = size * 16 + digit
  }
  return -1
}

/** A semicolon, after spaces or tabs, and no control character. */
const extensionForm = /^[\t ]*;[\t\x20-\x7e\x80-\xff]*$/
const fieldForm = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/

/** -1 = not a digit. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
