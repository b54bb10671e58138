/** What an answer's text takes at first, in UTF-16 units; a long one doubles it as it grows. */
const firstUnits = 256

/**
 * Output text that grows piece by piece. It keeps a long answer at the size of its text: as strings its pieces would be kept as objects of
 * their own, which is ten times as much where a piece is a word. UTF-16, because a vendor may cut a character in two.
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
