import type { IFormat } from 'music-metadata'
import type { ByteSource } from '../model/form.ts'
import { estimateDurationMs } from './estimate-duration.ts'
import { framesSeconds } from './frames/audio-frames.ts'

/** Bytes of a file that are not audio: its header. Embedded cover images are larger and make a file look longer than it is. */
const headerBytes = 1_024
/** Bytes per second of uncompressed audio: from one channel of 8 bits at 1 kHz to eight of 32 bits at 192 kHz. */
const rawBytesPerSecond = { least: 1_000, most: 6_144_000 } as const

/** Milliseconds that a file of so many bytes has at least, whatever its headers say. */
export function leastDurationMs(byteLength: number): number {
  return Math.max(1, Math.floor((Math.max(0, byteLength - headerBytes) / rawBytesPerSecond.most) * 1000))
}

/**
 * Milliseconds of an audio file: the length in its headers, but at least what its bytes imply and what its frames have; estimated from its size
 * if neither headers nor frames have one. A length reported by the vendor takes precedence. Hostile headers take seconds to parse, so it is
 * called on a thread of its own.
 */
export async function readDurationMs(audio: ByteSource): Promise<number> {
  const { rest, format } = await formatBehindTags(audio)
  const headerSeconds = format.duration ?? 0
  const inFrames = Math.min(secondsMax, await framesSeconds(rest))
  if (headerSeconds > 0 && headerSeconds <= secondsMax) {
    const leastSeconds = Math.max(0, audio.byteLength - headerBytes) / bytesPerSecondOf(format)
    return Math.ceil(Math.max(headerSeconds, leastSeconds, inFrames) * 1000)
  }
  return inFrames > 0 ? Math.ceil(inFrames * 1000) : estimateDurationMs(audio.byteLength)
}

/** One week, longer than any upload. */
const secondsMax = 604_800

/** The highest bytes per second of this format. */
function bytesPerSecondOf({ container = '', codec = '', sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat): number {
  const compressed = compressedMax.find(([pattern]) => pattern.test(`${container} ${codec}`.slice(0, nameLengthMax)))
  if (compressed !== undefined) return compressed[1]
  const raw = (sampleRate * numberOfChannels * bitsPerSample) / 8
  return raw > 0 ? Math.min(Math.max(raw, rawBytesPerSecond.least), rawBytesPerSecond.most) : rawBytesPerSecond.most
}

/** Longest name of a format that is compared: some come from the file. */
const nameLengthMax = 200

/** By container and codec, the first match applies; other formats are uncompressed or lossless. */
const compressedMax: ReadonlyArray<readonly [RegExp, number]> = [
  // 320 kbit/s.
  [/^MPEG|ADTS|Layer [123]/, 40_000],
  [/^Ogg\/?(?!.*FLAC)/i, 64_000],
  // The file may contain video, too.
  [/matroska|webm|mp4|m4a|isom|qt|asf/i, 1_250_000],
]

const mpegType = 'audio/mpeg'

/** ID3v2 tags in a row that are skipped, and the bytes of the head of one. */
const tags = { most: 16, headBytes: 10 } as const

/** The audio behind the tags at its beginning, whose frames say nothing of its length, and its format. */
async function formatBehindTags(audio: ByteSource): Promise<{ readonly rest: ByteSource; readonly format: IFormat }> {
  let start = 0
  for (let count = 0; count < tags.most; count++) {
    const length = tagBytesOf(await audio.read(start, Math.min(audio.byteLength, start + tags.headBytes)))
    if (length === 0) break
    start += length
    if (start >= audio.byteLength) return { rest: audio, format: noFormat }
  }
  if (start === 0) return { rest: audio, format: await formatOf(audio) }
  const rest = { byteLength: audio.byteLength - start, read: (from: number, to: number) => audio.read(start + from, start + to) }
  const format = await formatOf(rest)
  // Some files have padding between tag and frames, so that their format is not recognized. Most files with such a tag are MPEG audio.
  return { rest, format: format === noFormat ? await formatOf(rest, mpegType) : format }
}

/** Bytes of the ID3v2 tag that begins here; 0: none does (ID3v2.4.0, 3.1: the length has seven bits in each byte). */
function tagBytesOf(head: Uint8Array): number {
  const [i, d, three, , , flags = 0, ...length] = head
  const isTag = i === 0x49 && d === 0x44 && three === 0x33 && length.length === 4 && length.every((byte) => byte < 0x80)
  if (!isTag) return 0
  const footerBytes = (flags & 0x10) === 0 ? 0 : tags.headBytes
  return tags.headBytes + length.reduce((sum, byte) => sum * 0x80 + byte, 0) + footerBytes
}

/** Bytes per read, because the library asks for a few bytes at a time. */
const windowBytes = 65_536
/** Most bytes that are fetched of a file, as a multiple of its size, and beside that: a parser may go back and forth. */
const fetched = { times: 2, bytes: 16 * windowBytes } as const
/** Maximum reads of the library: a file that needs more is estimated by its size. */
const readsMax = 50_000
/**
 * The largest part of a header that is read. Larger ones are tags and images, which have no length: they look empty to the library, which
 * would create an object for each of their entries.
 */
const partBytesMax = 256 * 1024
/** The largest part that may look empty. Beyond it the length is estimated. */
const emptyBytesMax = 16 * 1024 * 1024

/** The format from a file's headers; incomplete if the file is damaged or takes too long. */
async function formatOf(audio: ByteSource, mimeType = ''): Promise<IFormat> {
  // Loaded on first use, because most servers never receive audio.
  const { parseBlob } = await import('music-metadata')
  let format: IFormat = noFormat
  const observer = ({ metadata }: { readonly metadata: { readonly format: IFormat } }): void => {
    format = metadata.format
  }
  try {
    await parseBlob(blobOf(audio, mimeType), { duration: true, skipCovers: true, skipPostHeaders: true, mkvUseIndex: true, observer })
  } catch {
    // A damaged file is not an error here: the vendor reports what is wrong with it.
  }
  return format
}

const noFormat: IFormat = { trackInfo: [], tagTypes: [] }

/** The file as a Blob for the library, with buffered and limited reads. */
function blobOf(audio: ByteSource, type: string): Blob {
  let window: Uint8Array = new Uint8Array()
  let windowStart = 0
  let reads = 0
  let bytesLeft = audio.byteLength * fetched.times + fetched.bytes

  async function fetchWindow(start: number, end: number): Promise<void> {
    const windowEnd = Math.min(audio.byteLength, Math.max(end, start + windowBytes))
    bytesLeft -= windowEnd - start
    if (bytesLeft < 0) throw tooLong()
    window = await audio.read(start, windowEnd)
    windowStart = start
  }

  async function arrayBuffer(start: number, end: number): Promise<ArrayBuffer> {
    reads += 1
    if (reads > readsMax || end - start > emptyBytesMax) throw tooLong()
    if (end - start > partBytesMax) return new ArrayBuffer(end - start)
    if (start < windowStart || end > windowStart + window.length) await fetchWindow(start, end)
    const bytes = Uint8Array.from(window.subarray(start - windowStart, end - windowStart))
    return withoutTables(bytes).buffer
  }

  // Holds: the library uses only these members of a Blob.
  return { size: audio.byteLength, type, slice: (start = 0, end = 0) => ({ arrayBuffer: () => arrayBuffer(start, end) }) } as Blob
}

const boxHeadBytes = 8
/** Boxes of MP4 files that say nothing of the length: tables with an entry for each sample, and tags. */
const hiddenBoxes: ReadonlySet<string> = new Set(['stsz', 'stts', 'stsc', 'stss', 'stco', 'co64', 'ctts', 'sbgp', 'sdtp', 'udta', 'meta'])
const freeSpace = Buffer.from('free')

/** The head of such a box is that of free space to the library, which passes over it. It reads the head of each box by itself. */
function withoutTables(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length === boxHeadBytes && hiddenBoxes.has(Buffer.from(bytes.buffer).toString('latin1', 4))) bytes.set(freeSpace, 4)
  return bytes
}

const tooLong = (): Error => new Error('the headers of an audio file take too long to read')
