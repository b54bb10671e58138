/** The operators that show text (ISO 32000-1, 9.4.3), as a word or behind a string. */
const showing = /[\s)\]>]T[jJ](?=[\s/[(<%]|$)|[)>]\s?['"](?=\s|$)/g

/**
 * Bytes of the text that a content stream shows: from the first string behind an operator that shows text to the next one. Fonts and images
 * hardly ever have such operators. Takes time in proportion to the stream.
 */
export function visibleTextBytes(stream: string): number {
  let [bytes, done, open] = [0, 0, -1]
  for (const { 0: operator, index } of stream.matchAll(showing)) {
    // A quotation mark behind a bracket occurs in a font, too.
    if (!operator.includes('T')) open = done + Math.max(0, stream.slice(done, index).lastIndexOf('('))
    else if (open < done) open = nextString(stream, done)
    if (open <= index) bytes += index - open
    done = index + 1
  }
  return bytes
}

/** The place at which a string begins next; the end if none does. */
function nextString(stream: string, from: number): number {
  for (let at = from; at < stream.length; at += 1) {
    const byte = stream.charCodeAt(at)
    if (byte === openText || byte === openHex) return at
  }
  return stream.length
}

const openText = 0x28
const openHex = 0x3c
