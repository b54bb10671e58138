import { constants, inflateSync } from 'node:zlib'

/** Bytes of all streams of a document together. */
const inflatedMax = 64 * 1024 * 1024
/** The longest dictionary of a stream that is read. */
const dictionaryMax = 8_192
/** Streams that are read: a book of ten thousand pages has as many. */
const streamsMax = 20_000

/**
 * The streams of a PDF (ISO 32000-1, 7.3.8) that may have objects or text; images are left out. `null`: one of them cannot be
 * read, because it is encrypted, damaged or packed in another way than most, or they are too long.
 */
export function* pdfStreams(bytes: Buffer, text: string): Generator<Buffer | null> {
  let left = inflatedMax
  let streams = 0
  for (let at = text.indexOf(keyword); at !== -1; at = text.indexOf(keyword, at + keyword.length)) {
    if (text.startsWith('end', at - 3)) continue
    const packing = packingOf(text, at)
    if (packing === 'image') continue
    streams += 1
    const start = startOf(text, at + keyword.length)
    const unpacked = packing === 'unknown' || streams > streamsMax ? null : unpack({ bytes, text, start, packing }, left)
    yield unpacked?.stream ?? null
    if (unpacked === null) return
    left -= unpacked.cost
  }
}

const keyword = 'stream'

type Packing = 'none' | 'flate' | 'ascii85-flate'

/** What the dictionary before a stream says of it. */
function packingOf(text: string, at: number): Packing | 'image' | 'unknown' {
  const before = text.slice(Math.max(0, at - dictionaryMax), at)
  const begins = before.lastIndexOf('obj')
  const dictionary = withoutEscapes(before.slice(begins + 3))
  const isWhole = /(?:^|[\r\n]|endobj)[ \t]*\d{1,10}\s+\d{1,10}\s+$/.test(before.slice(Math.max(0, begins - 40), Math.max(0, begins)))
  const filters = dictionary.match(/\/(?:[A-Za-z0-9]+Decode|Crypt)\b/g)?.join('') ?? ''
  if (!isWhole || (filters === '' && /\/Filter\b/.test(dictionary))) return 'unknown'
  const mayHaveObjects = /\/ObjStm\b/.test(dictionary) || (/\/First\b/.test(dictionary) && /\/N\b/.test(dictionary))
  if (!mayHaveObjects && isImage(dictionary, filters)) return 'image'
  if (mayHaveObjects && /\/(?:DecodeParms|DP)\b/.test(dictionary)) return 'unknown'
  return packings.get(filters) ?? 'unknown'
}

const packings: ReadonlyMap<string, Packing> = new Map([
  ['', 'none'],
  ['/FlateDecode', 'flate'],
  ['/ASCII85Decode/FlateDecode', 'ascii85-flate'],
])

function isImage(dictionary: string, filters: string): boolean {
  return /\/(?:DCT|JPX|JBIG2|CCITTFax)Decode$/.test(filters) || (/\/Subtype\s*\/Image\b/.test(dictionary) && /\/Width\b/.test(dictionary))
}

/** Names may have characters as `#` and two hexadecimal digits (7.3.5). */
function withoutEscapes(dictionary: string): string {
  return dictionary.replaceAll(/#([\da-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The first byte behind the end of the keyword's line. */
function startOf(text: string, at: number): number {
  const [line = ''] = /^[ \t]{0,8}(?:\r\n|\n|\r)?/.exec(text.slice(at, at + 10)) ?? []
  return at + line.length
}

interface Packed {
  readonly bytes: Buffer
  readonly text: string
  readonly start: number
  readonly packing: Packing
}

interface Unpacked {
  readonly stream: Buffer
  /** Bytes that were read or written for it. */
  readonly cost: number
}

function unpack({ bytes, text, start, packing }: Packed, left: number): Unpacked | null {
  if (packing === 'flate') return inflate(bytes.subarray(start), left)
  const end = text.indexOf('endstream', start)
  if (end === -1 || end - start > left) return null
  if (packing === 'none') return { stream: bytes.subarray(start, end), cost: end - start }
  const deflated = fromAscii85(text.slice(start, end))
  const inflated = deflated === null ? null : inflate(deflated, left)
  return inflated === null ? null : { ...inflated, cost: inflated.cost + end - start }
}

/** The stream ends where its compressed data end, whatever follows. */
function inflate(deflated: Uint8Array, left: number): Unpacked | null {
  if (left <= 0) return null
  try {
    const stream = inflateSync(deflated, { maxOutputLength: left, finishFlush: constants.Z_SYNC_FLUSH })
    return { stream, cost: stream.length }
  } catch {
    return null
  }
}

/** Bytes that are written in base 85, five digits for four of them (7.4.3); `null`: they are not. */
function fromAscii85(written: string): Uint8Array | null {
  const digits = written.replaceAll(/\s+/g, '').replace(/^<~/, '').replace(/~>?$/, '').replaceAll('z', '!!!!!')
  if (/[^!-u]/.test(digits)) return null
  const padded = digits.padEnd(Math.ceil(digits.length / 5) * 5, 'u')
  const bytes = Buffer.alloc((padded.length / 5) * 4)
  for (let group = 0; group < padded.length / 5; group += 1) {
    let value = 0
    for (let digit = 0; digit < 5; digit += 1) value = value * 85 + padded.charCodeAt(group * 5 + digit) - 33
    bytes.writeUInt32BE(value % 0x1_0000_0000, group * 4)
  }
  return bytes.subarray(0, bytes.length - (padded.length - digits.length))
}
