const headEnd = Buffer.from('\r\n\r\n')
const [lineFeed, carriageReturn] = [10, 13]
const firstBytes = 4 * 1024
const nothing = Buffer.alloc(0)

/**
 * Received bytes that were not used yet: an incomplete head, or what follows one. Each byte is copied and searched once, however the bytes
 * are split.
 */
export class HeadBuffer {
  #bytes: Buffer = nothing
  /** The unused bytes are `#bytes` from `#start` to `#end`; there may be free space behind them. */
  #start = 0
  #end = 0
  #isOwned = false
  #searched = 0

  get byteLength(): number {
    return this.#end - this.#start
  }

  /** Adds bytes. If the buffer is empty, they are kept without a copy. */
  push(bytes: Buffer): void {
    if (this.byteLength === 0) this.#keep(bytes)
    else this.#append(bytes)
  }

  /** Removes the next head. @returns its lines without the empty one, one character for each byte; `null` = it is incomplete */
  takeHead(): string | null {
    const length = this.#findHead()
    return length === -1 ? null : this.#takeText(length)
  }

  /** The first of the bytes, at most `length`. They are valid until the next call of another method. */
  first(length: number): Buffer {
    return this.#bytes.subarray(this.#start, Math.min(this.#end, this.#start + length))
  }

  /** Whether the buffer is empty or has only the CR of an empty line. */
  get isBlank(): boolean {
    return this.byteLength === 0 || (this.byteLength === 1 && this.#bytes[this.#start] === carriageReturn)
  }

  /** Removes and returns all bytes. */
  takeAll(): Buffer {
    if (this.byteLength === 0) return nothing
    const all = this.#bytes.subarray(this.#start, this.#end)
    this.clear()
    return all
  }

  clear(): void {
    this.#keep(nothing)
  }

  /** Drops leading empty lines. */
  skipLines(): void {
    let at = this.#start
    while (at + 1 < this.#end && this.#bytes[at] === carriageReturn && this.#bytes[at + 1] === lineFeed) at += 2
    this.#start = at
    this.#searched = Math.max(this.#searched, at)
  }

  /** The length of the first head, without its empty line; -1 = incomplete. */
  #findHead(): number {
    const from = Math.max(this.#start, this.#searched - headEnd.length + 1)
    const filled = this.#end === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#end)
    const end = filled.indexOf(headEnd, from)
    if (end === -1) this.#searched = this.#end
    return end === -1 ? -1 : end - this.#start
  }

  #takeText(length: number): string {
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
