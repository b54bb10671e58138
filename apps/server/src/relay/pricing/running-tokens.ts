/** Sixteenths of a token that a character is in a running estimate: a letter or space of ASCII, another character of it, and those beyond. */
const asciiLetter = 4
const asciiOther = 8
const beyondAscii = 6
const ideograph = 11
const sixteenths = Uint8Array.from({ length: 128 }, (_, code) => (/[a-z\s]/i.test(String.fromCharCode(code)) ? asciiLetter : asciiOther))

/**
 * LLM tokens of a piece of a running answer, which may be a part of one: a fraction, so that a stream of single letters is not counted as
 * one token each. Calibrated with o200k (decisions/2026-11-22-reservations.md); near enough to extend a reservation by. A stream is never
 * cut by it, but by an exact count.
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
