const [quote, backslash] = [0x22, 0x5c]
/** Bytes that are checked one by one after an escaped quote: a native search for each of millions of escaped quotes takes a second. */
const steppedBytes = 4 * 1024

/** Bytes that are checked one by one before a native search, which takes longer than a short string is. */
const shortBytes = 32

/** Position of the quote that ends a JSON string, or the length of the bytes. @param start position behind the opening quote */
export function endOfText(bytes: Uint8Array, start: number): number {
  const early = stepToQuote(bytes, start, start + shortBytes)
  if (bytes[early] === quote || early >= bytes.length) return Math.min(early, bytes.length)
  for (let at = early; ; ) {
    const quoteAt = bytes.indexOf(quote, at)
    if (quoteAt < 0) return bytes.length
    if (bytes[quoteAt - 1] !== backslash || quoteAt === at) return quoteAt
    const stepped = stepToQuote(bytes, at, quoteAt + steppedBytes)
    if (bytes[stepped] === quote) return stepped
    if (stepped >= bytes.length) return bytes.length
    at = stepped
  }
}

/** Steps byte by byte and over escapes. @returns position of the quote, or where it stopped, which is never within an escape */
function stepToQuote(bytes: Uint8Array, start: number, limit: number): number {
  let at = start
  while (at < limit && at < bytes.length) {
    const byte = bytes[at]
    if (byte === quote) return at
    at += byte === backslash ? 2 : 1
  }
  return at
}
