const [quote, backslash] = [0x22, 0x5c]
/** Behind an escaped quote so many bytes are looked at one by one: a search for each of millions of escaped quotes would take a second. */
const steppedBytes = 4 * 1024

/** Where the quote stands that ends a text of JSON; the length of the bytes where there is none. @param start behind the quote that begins it */
export function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; ; ) {
    const found = bytes.indexOf(quote, at)
    if (found < 0) return bytes.length
    if (bytes[found - 1] !== backslash || found === start) return found
    const stepped = stepToQuote(bytes, at, found + steppedBytes)
    if (bytes[stepped] === quote) return stepped
    if (stepped >= bytes.length) return bytes.length
    at = stepped
  }
}

/** Goes on byte by byte, two where the first one is a backslash. @returns where the quote stands, or where it stopped, which is behind no backslash */
function stepToQuote(bytes: Uint8Array, start: number, limit: number): number {
  let at = start
  while (at < limit && at < bytes.length) {
    const byte = bytes[at]
    if (byte === quote) return at
    at += byte === backslash ? 2 : 1
  }
  return at
}
