import { isUtf8 } from 'node:buffer'

/** What frames of a WebSocket say (RFC 6455, 5.2). */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The other side does not keep to the protocol; the code says how (RFC 6455, 7.4.1). */
export class BrokenFrames extends Error {
  readonly code: number

  constructor(code: number, why: string) {
    super(why)
    this.code = code
  }
}

export interface FrameSink {
  message(data: string | Uint8Array): void
  ping(data: Uint8Array): void
  pong(): void
  /** @param code 1005 where none was given */
  close(code: number): void
}

interface FrameReaderOptions {
  readonly sink: FrameSink
  /** Frames of clients are masked, those of servers are not. */
  readonly isMasked: boolean
  readonly messageBytesMax: number
}

/** Most bytes of a frame that controls. */
const controlBytesMax = 125

const nothing = Buffer.alloc(0)

interface FrameHead {
  readonly isLast: boolean
  readonly code: number
  readonly length: number
  /** Where its bytes begin. */
  readonly start: number
}

/** Reads messages from the bytes of a connection, however they are cut. */
export class FrameReader {
  readonly #options: FrameReaderOptions
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** Bytes that are needed before there is anything to do. */
  #needed = 2
  #parts: Buffer[] = []
  #partsBytes = 0
  /** Of the message whose parts are coming; 0 = none. */
  #code = 0

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** @throws BrokenFrames */
  push(bytes: Buffer): void {
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#pendingBytes < this.#needed) return
    let rest = this.#pending.length === 1 ? bytes : Buffer.concat(this.#pending)
    for (let used = this.#readFrame(rest); used > 0; used = this.#readFrame(rest)) rest = rest.subarray(used)
    this.#pending = rest.length === 0 ? [] : [rest]
    this.#pendingBytes = rest.length
  }

  /** @returns bytes that were used; 0 = the frame is not complete */
  #readFrame(bytes: Buffer): number {
    const head = this.#headOf(bytes)
    if (head === null) return 0
    const { start, length } = head
    this.#needed = start + length
    if (bytes.length < this.#needed) return 0
    this.#needed = 2
    const data = bytes.subarray(start, start + length)
    this.#take(head, this.#options.isMasked ? unmasked(data, bytes.subarray(start - 4, start)) : data)
    return start + length
  }

  #headOf(bytes: Buffer): FrameHead | null {
    const [first, second] = bytes
    if (first === undefined || second === undefined) return null
    const code = first & 0x0f
    const isLast = (first & 0x80) !== 0
    this.#check({ first, second })
    const short = second & 0x7f
    const start = 2 + (lengthBytesOf[short] ?? 0) + (this.#options.isMasked ? 4 : 0)
    this.#needed = start
    if (bytes.length < start) return null
    const length = lengthIn(bytes, short)
    if (this.#partsBytes + length > this.#options.messageBytesMax) throw new BrokenFrames(1009, 'the message is too long')
    return { isLast, code, length, start }
  }

  /** @throws BrokenFrames */
  #check({ first, second }: { readonly first: number; readonly second: number }): void {
    const isControl = (first & 0x08) !== 0
    const isWhole = (first & 0x80) !== 0
    if ((first & 0x70) !== 0) throw new BrokenFrames(1002, 'an extension was used that nobody agreed on')
    if (((second & 0x80) !== 0) !== this.#options.isMasked) throw new BrokenFrames(1002, 'frames of clients are masked, and no others')
    if (isControl && (!isWhole || (second & 0x7f) > controlBytesMax)) throw new BrokenFrames(1002, 'a control frame is short and whole')
  }

  #take({ isLast, code }: FrameHead, data: Buffer): void {
    const { sink } = this.#options
    switch (code) {
      case opcode.ping:
        sink.ping(data)
        break
      case opcode.pong:
        sink.pong()
        break
      case opcode.close:
        sink.close(closeCodeOf(data))
        break
      case opcode.text:
      case opcode.binary:
        if (this.#code !== 0) throw new BrokenFrames(1002, 'a message began in the middle of another')
        this.#code = code
        this.#add(data, isLast)
        break
      case opcode.continuation:
        if (this.#code === 0) throw new BrokenFrames(1002, 'a message goes on that has not begun')
        this.#add(data, isLast)
        break
      default:
        throw new BrokenFrames(1002, 'the kind of a frame is unknown')
    }
  }

  #add(data: Buffer, isLast: boolean): void {
    this.#parts.push(data)
    this.#partsBytes += data.length
    if (!isLast) return
    const [first = nothing] = this.#parts
    const whole = this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
    const isText = this.#code === opcode.text
    this.#parts = []
    this.#partsBytes = 0
    this.#code = 0
    if (isText && !isUtf8(whole)) throw new BrokenFrames(1007, 'a text is not UTF-8')
    this.#options.sink.message(isText ? whole.toString() : whole)
  }
}

/** Where the length does not fit, these say how many bytes behind hold it. */
const lengthBytesOf: Readonly<Record<number, number>> = { 126: 2, 127: 8 }

function lengthIn(bytes: Buffer, short: number): number {
  if (short === 126) return bytes.readUInt16BE(2)
  return short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
}

/** @throws BrokenFrames */
function closeCodeOf(data: Buffer): number {
  if (data.length === 0) return 1005
  if (data.length === 1) throw new BrokenFrames(1002, 'a code has two bytes')
  const code = data.readUInt16BE(0)
  const isKnown = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
  if (!isKnown || !isUtf8(data.subarray(2))) throw new BrokenFrames(1002, 'the connection was closed with a code that is none')
  return code
}

function unmasked(data: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(data.length)
  for (let at = 0; at < data.length; at += 1) plain[at] = (data[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return plain
}

/** A whole frame. @param mask four bytes that nobody can foresee, for frames of clients; `null`: a server's */
export function frameOf(code: number, data: Uint8Array, mask: Uint8Array | null = null): Buffer {
  const lengthBytes = data.length < 126 ? 0 : data.length < 65_536 ? 2 : 8
  const start = 2 + lengthBytes + (mask === null ? 0 : 4)
  const frame = Buffer.allocUnsafe(start + data.length)
  frame[0] = 0x80 | code
  frame[1] = (mask === null ? 0 : 0x80) | (lengthBytes === 0 ? data.length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) frame.writeUInt16BE(data.length, 2)
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(data.length), 2)
  frame.set(data, start)
  if (mask === null) return frame
  frame.set(mask, start - 4)
  for (let at = 0; at < data.length; at += 1) frame[start + at] = (data[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return frame
}

/** A frame that ends the connection. */
export function closeFrame(code: number, mask: Uint8Array | null = null): Buffer {
  const data = Buffer.allocUnsafe(2)
  data.writeUInt16BE(code, 0)
  return frameOf(opcode.close, data, mask)
}
