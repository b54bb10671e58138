/** Pieces below this are copied together. A larger one stays where it is: its overhead is small beside its bytes. */
const smallBytes = 4 * 1024
/** What small pieces are copied into. */
const blockBytes = 16 * 1024

/**
 * Bytes in the order in which they came. What it costs follows from the number of bytes, not from the number of pieces: a megabyte that came
 * byte by byte takes a megabyte.
 */
export class ByteQueue {
  #pieces: Uint8Array[] = []
  #byteLength = 0
  /** Where small pieces are copied to: what lies between start and end belongs to the queue, behind all pieces. */
  #block: Buffer | null = null
  #start = 0
  #end = 0

  get byteLength(): number {
    return this.#byteLength
  }

  push(bytes: Uint8Array): void {
    const { length } = bytes
    if (length === 0) return
    // A piece that comes alone stays alone, so that the usual body of one piece is not copied.
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

  /** The first piece, which stays; `null`: there is none. */
  first(): Uint8Array | null {
    if (this.#pieces.length === 0) this.#closePiece()
    return this.#pieces[0] ?? null
  }

  /** Takes the first piece. */
  shift(): Uint8Array | null {
    const piece = this.first()
    if (piece === null) return null
    this.#pieces.shift()
    this.#byteLength -= piece.length
    return piece
  }

  /** Takes that many bytes of the first piece, which has at least as many. */
  drop(count: number): void {
    const piece = this.first()
    if (piece === null || count === 0) return
    this.#byteLength -= count
    if (count === piece.length) this.#pieces.shift()
    else this.#pieces[0] = piece.subarray(count)
  }

  /** Takes everything, in one piece. */
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

  /** What was copied becomes a piece; the rest of the block takes the next ones. */
  #closePiece(): void {
    if (this.#block === null || this.#end === this.#start) return
    this.#pieces.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
