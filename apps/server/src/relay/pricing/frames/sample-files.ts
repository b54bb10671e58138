// Files of samples, WAV and AIFF: their headers say how samples are coded, and decoders read to the end of the file whatever else they say.

/** How a file codes its samples: so many of one channel in a byte. `null`: nobody here knows. */
interface Coding {
  readonly samplesPerByte: number | null
  /** Of all channels. */
  readonly samplesPerSecond: number
}

/** Bytes per second of a coding that is not known: that of the slowest for speech. */
const unknownBytesPerSecond = 1_000
/** Bytes per second of samples that are not compressed, at most: eight channels of 32 bits at 192 kHz. */
const samplesPerSecondMax = 1_536_000
/** Bytes of a file that are not audio. */
const otherBytes = 1_024
/** Headers that are read of one file: one is usual. */
const headersMax = 16

const plainTags: ReadonlySet<number> = new Set([1, 3])
/** WAVE format tag -> samples in a byte (RFC 2361, registered formats): A-law and µ-law one, ADPCM with 4 bits two, G.726 with 2 bits four. */
const samplesOfTag: ReadonlyMap<number, number> = new Map([
  ...[6, 7].map((tag) => [tag, 1] as const),
  ...[0x02, 0x10, 0x11, 0x17, 0x20, 0x36, 0x39, 0x3b, 0x61, 0x62, 0x69, 0x200, 0x215].map((tag) => [tag, 2] as const),
  ...[0x14, 0x40, 0x45, 0x64, 0x65, 0x85].map((tag) => [tag, 4] as const),
  // GSM 6.10: 320 samples in 65 bytes.
  [0x31, 320 / 65],
])
const extensibleTag = 0xfffe

/** Compression type of AIFF-C -> samples in a byte (Apple, "Audio Interchange File Format AIFF-C", and QuickTime). Others follow from the sample size. */
const samplesOfType: ReadonlyMap<string, number> = new Map([
  ...['alaw', 'ALAW', 'ulaw', 'ULAW', 'raw '].map((type) => [type, 1] as const),
  ...['sowt', 'swot'].map((type) => [type, 1 / 2] as const),
  ['in24', 1 / 3],
  ...['in32', 'fl32', 'FL32'].map((type) => [type, 1 / 4] as const),
  ...['fl64', 'FL64'].map((type) => [type, 1 / 8] as const),
  // IMA: 64 samples in 34 bytes.
  ['ima4', 64 / 34],
  ['MAC3', 3],
  ['MAC6', 6],
  // 160 samples in 33 bytes.
  ['GSM ', 160 / 33],
])
const plainTypes: ReadonlySet<string> = new Set(['NONE', 'twos', '\0\0\0\0', ''])

/** Seconds of a WAV file (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0") by how its samples are coded. */
export function wavSeconds(bytes: Buffer): number {
  return longest(bytes, { mark: 'fmt ', headBytes: 24, codingAt: (at) => wavCoding(bytes, at + 8) })
}

/** Seconds of an AIFF or AIFF-C file by how its samples are coded. */
export function aiffSeconds(bytes: Buffer): number {
  const isPlain = bytes.toString('latin1', 8, 12) === 'AIFF'
  return longest(bytes, { mark: 'COMM', headBytes: 30, codingAt: (at) => aiffCoding(bytes, at + 8, isPlain) })
}

interface Headers {
  readonly mark: string
  /** Bytes that one has with its mark. */
  readonly headBytes: number
  codingAt(at: number): Coding
}

/** By the header with which the file is longest: decoders differ in which of several they take. */
function longest(bytes: Buffer, { mark, headBytes, codingAt }: Headers): number {
  let seconds = 0
  let at = bytes.indexOf(mark, 0, 'latin1')
  for (let count = 0; count < headersMax && at !== -1 && at + headBytes <= bytes.length; count += 1) {
    seconds = Math.max(seconds, secondsOf(Math.max(0, bytes.length - otherBytes), codingAt(at)))
    at = bytes.indexOf(mark, at + 1, 'latin1')
  }
  return seconds
}

function secondsOf(byteLength: number, { samplesPerByte, samplesPerSecond }: Coding): number {
  if (samplesPerByte === null || !(samplesPerSecond > 0)) return byteLength / unknownBytesPerSecond
  return (byteLength * samplesPerByte) / Math.min(samplesPerSecond, samplesPerSecondMax)
}

/** @param at where the format begins, behind the name and the size of its part */
function wavCoding(bytes: Buffer, at: number): Coding {
  const named = bytes.readUInt16LE(at)
  const tag = named === extensibleTag && at + 26 <= bytes.length ? bytes.readUInt16LE(at + 24) : named
  const samplesPerSecond = bytes.readUInt16LE(at + 2) * bytes.readUInt32LE(at + 4)
  const ofSize = 1 / Math.max(1, Math.ceil(bytes.readUInt16LE(at + 14) / 8))
  return { samplesPerByte: plainTags.has(tag) ? ofSize : (samplesOfTag.get(tag) ?? null), samplesPerSecond }
}

function aiffCoding(bytes: Buffer, at: number, isPlain: boolean): Coding {
  const samplesPerSecond = bytes.readUInt16BE(at) * longDouble(bytes, at + 8)
  const ofSize = 1 / Math.max(1, Math.ceil(bytes.readUInt16BE(at + 6) / 8))
  const type = isPlain ? '' : bytes.toString('latin1', at + 18, at + 22)
  return { samplesPerByte: plainTypes.has(type) ? ofSize : (samplesOfType.get(type) ?? null), samplesPerSecond }
}

/** A number of ten bytes (IEEE 754, extended), as far as a double has it. */
function longDouble(bytes: Buffer, at: number): number {
  const exponent = (bytes.readUInt16BE(at) & 0x7fff) - 16_383 - 63
  return (bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6)) * 2 ** exponent
}
