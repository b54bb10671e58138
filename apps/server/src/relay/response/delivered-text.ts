/** Initial size of the buffer, in UTF-16 units; it doubles as the text grows. */
const firstUnits = 256

/**
 * Output text that grows chunk by chunk. The text is kept in one buffer: concatenated strings keep every chunk as an object, which takes
 * ten times the memory if a chunk is a word. UTF-16, because a vendor may split a surrogate pair.
 */
export class DeliveredText {
  #units = new Uint16Array(firstUnits)
  #length = 0

  /** In UTF-16 units. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    const end = this.#length + piece.length
    if (end > this.#units.length) {
      const wider = new Uint16Array(Math.max(end, this.#units.length * 2))
      wider.set(this.#units)
      this.#units = wider
    }
    const units = this.#units
    for (let at = 0, to = this.#length; at < piece.length; at += 1, to += 1) units[to] = piece.charCodeAt(at)
    this.#length = end
  }

  between(from: number, to: number): string {
    return Buffer.from(this.#units.buffer, from * 2, (to - from) * 2).toString('utf16le')
  }
}
