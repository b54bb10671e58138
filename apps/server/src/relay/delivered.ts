/** What an answer's text takes at first, in bytes; a long one doubles it as it grows. */
const firstBytes = 512

/** Output text that grows piece by piece. */
export interface Delivered {
  add(piece: string): void
  whole(): string
}

/**
 * Keeps a long answer at the size of its text: as strings its pieces would be kept as objects of their own, which is ten times as much where a
 * piece is a word. UTF-16, because a vendor may cut a character in two.
 */
export function createDelivered(): Delivered {
  let bytes = Buffer.allocUnsafeSlow(firstBytes)
  let length = 0
  return {
    add(piece) {
      const end = length + piece.length * 2
      if (end > bytes.length) {
        const wider = Buffer.allocUnsafeSlow(Math.max(end, bytes.length * 2))
        bytes.copy(wider, 0, 0, length)
        bytes = wider
      }
      bytes.write(piece, length, 'utf16le')
      length = end
    },
    whole: () => bytes.toString('utf16le', 0, length),
  }
}
