/** The last letter of a word. No token reaches across it: spaces and punctuation belong to what is behind them. */
const wordEnd = /\p{L}(?=[^\p{L}\p{M}'’])/gu

/** The share of a piece that is looked through for the end of a word. */
const searchedShare = 0.25

/**
 * Start and end of the pieces of a text, of at most so many characters each. A piece ends behind a word, if one ends near its end, so that the
 * tokens of the pieces are those of the text; otherwise somewhere in a word, which adds a few tokens at most.
 */
export function* piecesOf(text: string, pieceLength: number): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < text.length; ) {
    const most = start + pieceLength
    const end = most >= text.length ? text.length : lastWordEnd(text, Math.ceil(most - pieceLength * searchedShare), most)
    yield [start, end]
    start = end
  }
}

/** The place of the last end of a word between these places; the latter if there is none, but not within a character. */
function lastWordEnd(text: string, from: number, to: number): number {
  const last = [...text.slice(from, to).matchAll(wordEnd)].at(-1)
  if (last !== undefined) return from + last.index + last[0].length
  return lowSurrogate.test(text.charAt(to)) ? to - 1 : to
}

const lowSurrogate = /^[\udc00-\udfff]/
