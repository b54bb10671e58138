/** Smaller pieces are copied together. A larger one is kept as it is: its overhead is small compared to its bytes. */
const smallBytes = 4 * 1024
/** Size of the blocks that small pieces are copied into. */
const blockBytes = 16 * 1024

/**
 * A FIFO queue of bytes. Its memory depends on the number of bytes, not on the number of pieces: a megabyte that arrived byte by byte takes
 * a megabyte.
 */
export class ByteQueue {
  #pieces: Uint8Array[] = []
  #byteLength = 0
  /** The block that small pieces are copied into: its bytes from start to end are the tail of the queue. */
  #block: Buffer | null = null
  #start = 0
  #end = 0

  get byteLength(): number {
    return this.#byteLength
  }

  push(bytes: Uint8Array): void {
    const { length } = bytes
    if (length === 0) return
    // A piece that finds the queue empty is not copied, so that the usual body of one piece costs no copy.
    const isKept = length >= smallBytes || this.#byteLength === 0
    this.#byteLength += length
    if (isKept) {
      this.#closePiece()
      this.#pieces.push(bytes)
      return
    }
    if (this.#block === null || this.#end + length > this.#block.length) this.#openBlock()
    this.#block?.set(bytes, this.#end)
    this.#end += length
  }

  /** Returns the first piece without removing it; `null` = empty. */
  first(): Uint8Array | null {
    if (this.#pieces.length === 0) this.#closePiece()
    return this.#pieces[0] ?? null
  }

  /** Removes and returns the first piece. */
  shift(): Uint8Array | null {
    const piece = this.first()
    if (piece === null) return null
    this.#pieces.shift()
    this.#byteLength -= piece.length
    return piece
  }

  /** Removes the first `count` bytes, all of which must be in the first piece. */
  drop(count: number): void {
    const piece = this.first()
    if (piece === null || count === 0) return
    this.#byteLength -= count
    if (count === piece.length) this.#pieces.shift()
    else this.#pieces[0] = piece.subarray(count)
  }

  /** Removes and returns all bytes as one piece. */
  takeAll(): Uint8Array {
    this.#closePiece()
    const [first = new Uint8Array(), second] = this.#pieces
    const all = second === undefined ? first : Buffer.concat(this.#pieces, this.#byteLength)
    this.clear()
    return all
  }

  clear(): void {
    this.#pieces = []
    this.#byteLength = 0
    this.#block = null
    this.#start = 0
    this.#end = 0
  }

  #openBlock(): void {
    this.#closePiece()
    this.#block = Buffer.allocUnsafeSlow(blockBytes)
    this.#start = 0
    this.#end = 0
  }

  /** Makes the copied bytes a piece; the rest of the block is used for later ones. */
  #closePiece(): void {
    if (this.#block === null || this.#end === this.#start) return
    this.#pieces.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
