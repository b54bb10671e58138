/** Samples of a block by the code in its header; 6 and 7: the number follows (RFC 9639, 9.1.1). */
function blockSamples(code: number, following: number): number {
  if (code === 1) return 192
  if (code <= 5) return 576 * 2 ** (code - 2)
  return code <= 7 ? following + 1 : 2 ** code
}

/** Samples per second by the code in the header; others are those of the file. */
const rates: ReadonlyMap<number, number> = new Map(
  [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000].map((rate, index) => [index + 1, rate]),
)

/** Seconds of a FLAC file by the headers of its frames, whose check sums match. */
export function flacSeconds(bytes: Buffer): number {
  if (bytes.length < 42) return 0
  const usualRate = bytes.readUIntBE(18, 3) >> 4
  let seconds = 0
  for (let at = bytes.indexOf(0xff); at !== -1 && at + 16 <= bytes.length; at = bytes.indexOf(0xff, at + 1))
    if ((bytes.readUInt8(at + 1) & 0xfe) === 0xf8) seconds += flacFrameSeconds(bytes, at, usualRate)
  return seconds
}

/** Bytes of the number behind the header, by the code of the block's size and of the rate. */
const sizeBytesOf: ReadonlyMap<number, number> = new Map([
  [6, 1],
  [7, 2],
])
const rateBytesOf: ReadonlyMap<number, number> = new Map([
  [12, 1],
  [13, 2],
  [14, 2],
])
/** Units of a rate behind the header. */
const rateUnits: ReadonlyMap<number, number> = new Map([
  [12, 1_000],
  [13, 1],
  [14, 10],
])

/** 0: no frame begins here. */
export function flacFrameSeconds(bytes: Buffer, at: number, usualRate: number): number {
  const [sizeCode, rateCode] = [bytes.readUInt8(at + 2) >> 4, bytes.readUInt8(at + 2) & 0xf]
  if (sizeCode === 0 || rateCode === 0xf) return 0
  const sizeAt = at + 4 + leadingOnes(bytes.readUInt8(at + 4))
  const rateAt = sizeAt + (sizeBytesOf.get(sizeCode) ?? 0)
  const sumAt = rateAt + (rateBytesOf.get(rateCode) ?? 0)
  if (sumAt >= bytes.length || checkSum(bytes, at, sumAt) !== bytes.readUInt8(sumAt)) return 0
  const samples = blockSamples(sizeCode, numberIn(bytes, sizeAt, rateAt))
  const written = numberIn(bytes, rateAt, sumAt) * (rateUnits.get(rateCode) ?? 0)
  return samples / Math.max(1, rates.get(rateCode) ?? (written || usualRate))
}

/** Of no bytes: 0. */
function numberIn(bytes: Buffer, start: number, end: number): number {
  return end > start ? bytes.readUIntBE(start, end - start) : 0
}

/** Bytes of a number in the manner of UTF-8. */
function leadingOnes(first: number): number {
  return first < 0x80 ? 1 : Math.min(7, Math.clz32(~(first << 24)))
}

/** With the polynomial x^8 + x^2 + x + 1. */
function checkSum(bytes: Buffer, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) {
    sum ^= bytes.readUInt8(at)
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ 0x107) & 0xff
  }
  return sum & 0xff
}
