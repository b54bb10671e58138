/** Sixteenths of a token per character: ASCII letters and spaces, other ASCII, all others. */
const asciiLetter = 4
const asciiOther = 8
const beyondAscii = 6
const ideograph = 11
const sixteenths = Uint8Array.from({ length: 128 }, (_, code) => (/[a-z\s]/i.test(String.fromCharCode(code)) ? asciiLetter : asciiOther))

/**
 * Estimated LLM tokens of a chunk of a running response: a fraction, because a chunk may be part of a token and a stream of single letters
 * must not count one token each. Calibrated with o200k (decisions/2026-11-22-reservations.md); exact enough to extend a reservation. Only
 * an exact count cuts a stream.
 */
export function runningTokens(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 128) sum += sixteenths[code] ?? asciiOther
    else sum += code < 0x2e80 ? beyondAscii : ideograph
  }
  return sum / 16
}
