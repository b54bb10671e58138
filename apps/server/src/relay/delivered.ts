/** Pieces are melted into one flat string whenever they are this long together, in UTF-16 units. */
const meltAt = 512

/** Output text that grows piece by piece. */
export interface Delivered {
  add(piece: string): void
  whole(): string
}

/** Keeps a long answer at the size of its text: a string that only grows by `+=` keeps each piece as an object of its own. */
export function createDelivered(): Delivered {
  const flat: string[] = []
  let end = ''
  return {
    add(piece) {
      end += piece
      if (end.length < meltAt) return
      // Looking at a character makes the engine write the pieces out as one string.
      end.charCodeAt(0)
      flat.push(end)
      end = ''
    },
    whole: () => flat.join('') + end,
  }
}
