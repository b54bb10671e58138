import { isUtf8 } from 'node:buffer'
import { applyMask } from './masking.ts'
import { releaseBuffer } from './release-buffer.ts'

/** Opcodes of WebSocket frames (RFC 6455, 5.2). */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The peer violated the protocol; `code` is the close code (RFC 6455, 7.4.1). */
export class BrokenFrames extends Error {
  readonly code: number

  constructor(code: number, why: string) {
    super(why)
    this.code = code
  }
}

/** A received message. */
export interface Message {
  /** Text, which is valid UTF-8, or else binary. */
  readonly isText: boolean
  readonly bytes: Buffer
  /**
   * If true, the receiver may change and keep the bytes, and frees them (`releaseBuffer`) after the last use. Otherwise they are valid until
   * the call returns.
   */
  readonly isOwned: boolean
}

export interface FrameSink {
  message(message: Message): void
  /** Of several pings that arrive together only the last is reported: it is the one to respond to (RFC 6455, 5.5.3). */
  ping(data: Uint8Array): void
  pong(): void
  /** @param code 1005 if the frame has none */
  close(code: number): void
}

interface FrameReaderOptions {
  readonly sink: FrameSink
  /** Frames of clients are masked, those of servers are not. */
  readonly isMasked: boolean
  readonly messageBytesMax: number
}

/** Most data bytes of a control frame. */
const controlBytesMax = 125
/** Frames that are read at once, so that a client with many small frames does not starve the others. */
const framesPerTurn = 512
/** An owned message of at least this length is forwarded without a copy. */
const uncopiedBytes = 64 * 1024
/** Once this much of a message has arrived, memory for its whole known length is allocated. */
const wholeRoomBytes = 1024 * 1024
/** First allocation for a message that arrives in pieces. */
const firstRoomBytes = 4 * 1024
/** Longest head of a frame: two bytes, eight of length, four of mask. */
const headBytesMax = 14

const nothing: Buffer<ArrayBuffer> = Buffer.alloc(0)
/** Parts below this are copied byte by byte. */
const smallBytes = 32

/**
 * Reads messages from the bytes of a connection, however they are split. A message costs its own bytes, however many frames it has. The
 * reader owns the bytes that it is given, and unmasks them in place.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions
  /** The head of the frame that is being read. */
  readonly #head = Buffer.alloc(headBytesMax)
  #headBytes = 0
  /** Length of the head as far as it is known. */
  #headNeeded = 2
  /** Opcode of the frame whose data is being read. */
  #code = 0
  #isLast = false
  #length = 0
  #taken = 0
  #isInData = false
  readonly #mask = Buffer.alloc(4)
  /** Copied data of a control frame, and below of a message, if it did not arrive in one piece. */
  readonly #control = Buffer.alloc(controlBytesMax)
  #message: Buffer<ArrayBuffer> = nothing
  #messageBytes = 0
  /** Length of the message up to the end of the current frame. */
  #wholeBytes = 0
  /** Opcode of the incomplete message; 0 = none. */
  #messageCode = 0
  #ping: Uint8Array | null = null
  #framesRead = 0

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** Bytes held of the incomplete message. */
  get keptBytes(): number {
    return this.#messageBytes
  }

  /** Length of the incomplete message, known in its last frame; `null` = unknown. */
  get wholeBytes(): number | null {
    return this.#isLast ? this.#wholeBytes : null
  }

  /** Drops the incomplete message. Nothing may be read afterwards. */
  forget(): void {
    const kept = this.#message
    this.#message = nothing
    if (kept !== nothing) releaseBuffer(kept)
  }

  /** Reads all bytes. @throws BrokenFrames */
  push(bytes: Buffer): void {
    for (let rest: Buffer | null = bytes; rest !== null; rest = this.pushSome(rest));
  }

  /** Reads a limited number of frames, so that the caller can yield. @returns the unread bytes; `null` = none. @throws BrokenFrames */
  pushSome(bytes: Buffer): Buffer | null {
    const last = this.#framesRead + framesPerTurn
    let at = 0
    try {
      while (at < bytes.length && this.#framesRead < last) at = this.#isInData ? this.#readData(bytes, at) : this.#readHead(bytes, at)
    } finally {
      this.#reportPing()
    }
    return at < bytes.length ? bytes.subarray(at) : null
  }

  /** @returns where the rest begins */
  #readHead(bytes: Buffer, from: number): number {
    let at = from
    while (this.#headBytes < this.#headNeeded) {
      const byte = bytes[at]
      if (byte === undefined) return at
      this.#head[this.#headBytes] = byte
      this.#headBytes += 1
      at += 1
      if (this.#headBytes === 2) this.#headNeeded = this.#checkStart()
    }
    this.#begin()
    return at
  }

  /** Checks the first two bytes. @returns the length of the head. @throws BrokenFrames */
  #checkStart(): number {
    const [first = 0, second = 0] = this.#head
    const { isMasked } = this.#options
    const short = second & 0x7f
    const isWhole = (first & 0x80) !== 0
    if ((first & 0x70) !== 0) throw new BrokenFrames(1002, 'an extension was used that nobody agreed on')
    if (((second & 0x80) !== 0) !== isMasked) throw new BrokenFrames(1002, 'frames of clients are masked, and no others')
    if ((first & 0x08) !== 0 && (!isWhole || short > controlBytesMax)) throw new BrokenFrames(1002, 'a control frame is short and whole')
    this.#code = first & 0x0f
    this.#isLast = isWhole
    this.#checkOrder()
    return 2 + (lengthBytesOf[short] ?? 0) + (isMasked ? 4 : 0)
  }

  /** @throws BrokenFrames */
  #checkOrder(): void {
    switch (this.#code) {
      case opcode.text:
      case opcode.binary:
        if (this.#messageCode !== 0) throw new BrokenFrames(1002, 'a message began in the middle of another')
        return
      case opcode.continuation:
        if (this.#messageCode === 0) throw new BrokenFrames(1002, 'a message goes on that has not begun')
        return
      case opcode.ping:
      case opcode.pong:
      case opcode.close:
        return
      default:
        throw new BrokenFrames(1002, 'the kind of a frame is unknown')
    }
  }

  /** Begins the data after a complete head. @throws BrokenFrames */
  #begin(): void {
    this.#length = lengthIn(this.#head)
    if (this.#options.isMasked) this.#head.copy(this.#mask, 0, this.#headBytes - 4, this.#headBytes)
    this.#headBytes = 0
    this.#headNeeded = 2
    this.#taken = 0
    if (this.#code < opcode.close) {
      if (this.#messageBytes + this.#length > this.#options.messageBytesMax) throw new BrokenFrames(1009, 'the message is too long')
      if (this.#code !== opcode.continuation) this.#messageCode = this.#code
      this.#wholeBytes = this.#messageBytes + this.#length
    }
    this.#isInData = this.#length > 0
    if (!this.#isInData) this.#end(nothing)
  }

  /** @returns where the rest begins */
  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#length - this.#taken, bytes.length)
    const isControl = this.#code >= opcode.close
    const isAlone = isControl || (this.#isLast && this.#messageBytes === 0)
    if (isAlone && end - at === this.#length) {
      const data = bytes.subarray(at, end)
      if (this.#options.isMasked) applyMask(data, this.#mask, 0)
      this.#isInData = false
      this.#end(data)
      return end
    }
    if (isControl) this.#control.set(bytes.subarray(at, end), this.#taken)
    else this.#append(bytes, at, end)
    this.#taken += end - at
    if (this.#taken === this.#length) {
      this.#isInData = false
      if (isControl && this.#options.isMasked) applyMask(this.#control.subarray(0, this.#length), this.#mask, 0)
      this.#end(null)
    }
    return end
  }

  /** Adds a part of a frame's data to the message. */
  #append(bytes: Buffer, at: number, end: number): void {
    const from = this.#messageBytes
    this.#messageBytes += end - at
    if (this.#messageBytes > this.#message.length) this.#growRoom()
    // For very small parts, creating a view costs more than copying in a loop.
    if (end - at < smallBytes) {
      for (let index = at; index < end; index += 1)
        this.#message[from + index - at] = (bytes[index] ?? 0) ^ (this.#mask[(this.#taken + index - at) & 3] ?? 0)
      return
    }
    bytes.copy(this.#message, from, at, end)
    if (this.#options.isMasked) applyMask(this.#message.subarray(from, this.#messageBytes), this.#mask, this.#taken)
  }

  /** Grows the buffer and frees the old one at once, without waiting for garbage collection: messages may have megabytes. */
  #growRoom(): void {
    const usual = Math.max(firstRoomBytes, this.#messageBytes * 2)
    const isKnown = this.#isLast && this.#messageBytes >= wholeRoomBytes
    const room = Math.min(isKnown ? this.#wholeBytes : usual, this.#options.messageBytesMax)
    this.#message = this.#message === nothing ? Buffer.allocUnsafeSlow(room) : Buffer.from(this.#message.buffer.transfer(room))
  }

  /** Ends a frame. @param data its whole data if it arrived in one piece; `null` = it was copied */
  #end(data: Buffer | null): void {
    this.#framesRead += 1
    const { sink } = this.#options
    switch (this.#code) {
      case opcode.ping:
        this.#ping = Uint8Array.from(data ?? this.#control.subarray(0, this.#length))
        break
      case opcode.pong:
        sink.pong()
        break
      case opcode.close:
        this.#reportPing()
        sink.close(closeCodeOf(data ?? this.#control.subarray(0, this.#length)))
        break
      default:
        this.#endPart(data)
    }
  }

  /** Ends a frame of a message. @param data as for `#end`. @throws BrokenFrames */
  #endPart(data: Buffer | null): void {
    if (!this.#isLast) return
    const kept = this.#message
    const isAlone = data !== null && this.#messageBytes === 0
    const bytes = isAlone ? data : kept.subarray(0, this.#messageBytes)
    const isText = this.#messageCode === opcode.text
    this.#message = nothing
    this.#messageBytes = 0
    this.#messageCode = 0
    if (isText && !isUtf8(bytes)) throw new BrokenFrames(1007, 'a text is not UTF-8')
    this.#options.sink.message({ isText, bytes, isOwned: !isAlone })
  }

  #reportPing(): void {
    const ping = this.#ping
    this.#ping = null
    if (ping !== null) this.#options.sink.ping(ping)
  }
}

/** Short lengths that announce an extended length, with its number of bytes. */
const lengthBytesOf: Readonly<Record<number, number>> = { 126: 2, 127: 8 }

/** @throws BrokenFrames if the length would fit into fewer bytes (RFC 6455, 5.2) */
function lengthIn(head: Buffer): number {
  const short = (head[1] ?? 0) & 0x7f
  if (short < 126) return short
  const length = short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2))
  const isShortest = short === 126 ? length > 125 : length > 0xffff
  // The first bit of eight bytes is never set.
  if (!isShortest || length >= 2 ** 63) throw new BrokenFrames(1002, 'the length of a frame is not written as it must be')
  return length
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

/** A whole frame. @param mask four unpredictable bytes for frames of clients; `null` for those of servers */
export function frameOf(code: number, data: string | Uint8Array, mask: Uint8Array | null = null): Buffer {
  const length = typeof data === 'string' ? Buffer.byteLength(data) : data.length
  const start = headLengthOf(length, mask)
  const frame = Buffer.allocUnsafe(start + length)
  writeHead(frame, { code, length, mask })
  if (typeof data === 'string') frame.write(data, start)
  else frame.set(data, start)
  if (mask !== null) applyMask(frame.subarray(start), mask, 0)
  return frame
}

/** The frame of a received message, in one piece or two: long owned bytes are not copied, but masked in place. */
export function framesOf({ isText, bytes, isOwned }: Message, mask: Uint8Array | null): readonly Buffer[] {
  const code = isText ? opcode.text : opcode.binary
  const { length } = bytes
  if (!isOwned || length < uncopiedBytes) return [frameOf(code, bytes, mask)]
  const head = Buffer.allocUnsafe(headLengthOf(length, mask))
  writeHead(head, { code, length, mask })
  if (mask !== null) applyMask(bytes, mask, 0)
  return [head, bytes]
}

interface HeadOfFrame {
  readonly code: number
  readonly length: number
  readonly mask: Uint8Array | null
}

/** Number of bytes of the extended length. */
function extraLengthBytes(length: number): 0 | 2 | 8 {
  if (length < 126) return 0
  return length < 65_536 ? 2 : 8
}

function headLengthOf(length: number, mask: Uint8Array | null): number {
  return 2 + extraLengthBytes(length) + (mask === null ? 0 : 4)
}

function writeHead(frame: Buffer, { code, length, mask }: HeadOfFrame): void {
  const extra = extraLengthBytes(length)
  frame[0] = 0x80 | code
  frame[1] = (mask === null ? 0 : 0x80) | (extra === 0 ? length : extra === 2 ? 126 : 127)
  if (extra === 2) frame.writeUInt16BE(length, 2)
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  if (mask !== null) frame.set(mask, 2 + extra)
}

/** A close frame. */
export function closeFrame(code: number, mask: Uint8Array | null = null): Buffer {
  const data = Buffer.allocUnsafe(2)
  data.writeUInt16BE(code, 0)
  return frameOf(opcode.close, data, mask)
}
