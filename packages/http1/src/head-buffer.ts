import { headBytesMax, parseRequestHead, RefusedRequest, type RequestHead } from './request-head.ts'

const headEnd = Buffer.from('\r\n\r\n')
const [lineFeed, carriageReturn] = [10, 13]
const firstBytes = 4 * 1024
const nothing = Buffer.alloc(0)

/**
 * Bytes that came and were not used yet: of a head that is not complete, or of requests to come. Each byte is copied and looked at once, however
 * they are cut.
 */
export class HeadBuffer {
  #bytes: Buffer = nothing
  /** Of `#bytes`, from `#start` on. More room lies behind it where it was allocated here. */
  #start = 0
  #end = 0
  #isOwned = false
  #searched = 0

  get byteLength(): number {
    return this.#end - this.#start
  }

  /** Adds bytes. Where there were none, these are kept as they are, without a copy. */
  push(bytes: Buffer): void {
    if (this.byteLength === 0) this.#keep(bytes)
    else this.#append(bytes)
  }

  /**
   * Takes the next head. `null`: it is not complete.
   * @throws RefusedRequest
   */
  readHead(): RequestHead | null {
    this.#skipLines()
    const length = this.#findHead()
    if (length === -1 ? this.byteLength > headBytesMax : length > headBytesMax)
      throw new RefusedRequest(431, 'the head of the request is too long')
    return length === -1 ? null : parseRequestHead(this.#takeHead(length))
  }

  /** Whether there is nothing, or the first half of an empty line. */
  get isBlank(): boolean {
    return this.byteLength === 0 || (this.byteLength === 1 && this.#bytes[this.#start] === carriageReturn)
  }

  /** Takes everything. */
  takeAll(): Buffer {
    const all = this.#bytes.subarray(this.#start, this.#end)
    this.clear()
    return all
  }

  clear(): void {
    this.#keep(nothing)
  }

  /** Drops the empty lines in front: some clients end a body with one too many (RFC 9112, 2.2). */
  #skipLines(): void {
    let at = this.#start
    while (at + 1 < this.#end && this.#bytes[at] === carriageReturn && this.#bytes[at + 1] === lineFeed) at += 2
    this.#start = at
    this.#searched = Math.max(this.#searched, at)
  }

  /** The length of the head in front, without the empty line behind it; -1: it is not complete. */
  #findHead(): number {
    const from = Math.max(this.#start, this.#searched - headEnd.length + 1)
    const filled = this.#end === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#end)
    const found = filled.indexOf(headEnd, from)
    if (found === -1) this.#searched = this.#end
    return found === -1 ? -1 : found - this.#start
  }

  /** A character for each byte. */
  #takeHead(length: number): string {
    const text = this.#bytes.toString('latin1', this.#start, this.#start + length)
    this.#start += length + headEnd.length
    this.#searched = this.#start
    if (this.#start === this.#end) this.clear()
    return text
  }

  #keep(bytes: Buffer): void {
    this.#bytes = bytes
    this.#start = 0
    this.#end = bytes.length
    this.#isOwned = false
    this.#searched = 0
  }

  #append(bytes: Buffer): void {
    const needed = this.byteLength + bytes.length
    if (!this.#isOwned || this.#end + bytes.length > this.#bytes.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(firstBytes, needed * 2))
      this.#bytes.copy(room, 0, this.#start, this.#end)
      this.#searched -= this.#start
      this.#end -= this.#start
      this.#start = 0
      this.#bytes = room
      this.#isOwned = true
    }
    bytes.copy(this.#bytes, this.#end)
    this.#end += bytes.length
  }
}
