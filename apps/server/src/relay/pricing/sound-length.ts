import type { IFormat } from 'music-metadata'

/** An audio file, wherever it is stored. */
export interface Sound {
  readonly byteLength: number
  /** Bytes from `start` to `end`, `end` excluded. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Assumed bytes per second if nothing is known: speech at 64 kbit/s. */
const commonBytesPerSecond = 8_000
/** Bytes of a file that are not audio: its header. Embedded cover pictures are larger and make a file look longer than it is. */
const headerBytes = 1_024
/** Bytes per second of uncompressed audio: from one channel of 8 bits at 1 kHz to eight of 32 bits at 192 kHz. */
const rawBytesPerSecond = { least: 1_000, most: 6_144_000 } as const

/**
 * Milliseconds of an audio file: the length in its headers, but at least what its bytes imply; estimated from its size if the headers have
 * none. A length reported by the vendor takes precedence.
 */
export async function soundMsOf(sound: Sound): Promise<number> {
  const format = await formatOf(sound)
  const told = format.duration ?? 0
  if (!(told > 0 && told <= secondsMax)) return Math.ceil((sound.byteLength / commonBytesPerSecond) * 1000)
  const held = Math.max(0, sound.byteLength - headerBytes) / bytesPerSecondOf(format)
  return Math.ceil(Math.max(told, held, await sampledSeconds(sound, format, told)) * 1000)
}

/** One week, longer than any upload. */
const secondsMax = 604_800

/** The highest bytes per second of this format. */
function bytesPerSecondOf({ container = '', codec = '', sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat): number {
  const compressed = compressedMax.find(([pattern]) => pattern.test(`${container} ${codec}`))
  if (compressed !== undefined) return compressed[1]
  const raw = (sampleRate * numberOfChannels * bitsPerSample) / 8
  return raw > 0 ? Math.min(Math.max(raw, rawBytesPerSecond.least), rawBytesPerSecond.most) : rawBytesPerSecond.most
}

/** By container and codec, the first match applies; other formats are uncompressed or lossless. */
const compressedMax: ReadonlyArray<readonly [RegExp, number]> = [
  // 320 kbit/s.
  [/^MPEG|ADTS|Layer [123]/, 40_000],
  [/^Ogg\/?(?!.*FLAC)/i, 64_000],
  // The file may contain video, too.
  [/matroska|webm|mp4|m4a|isom|qt|asf/i, 1_250_000],
]

/** Positions of a file that are sampled, and bytes of each, if only the first frames give the bit rate. */
const samples = { count: 4, bytes: 32_768 } as const
/** How much longer than its header says the samples may make a file before they are believed: the bit rate varies. */
const tolerance = 1.25

/**
 * Each MPEG audio frame has a bit rate of its own, so forged first frames can make a file look shorter. If later frames are smaller, the
 * length computed from them applies. 0: the samples do not contradict the header.
 */
async function sampledSeconds(sound: Sound, { container = '' }: IFormat, told: number): Promise<number> {
  if (!/^MPEG|ADTS/.test(container) || sound.byteLength < samples.bytes * (samples.count + 1)) return 0
  const rates: number[] = []
  for (let place = 1; place <= samples.count; place++) {
    const start = Math.floor((sound.byteLength * place) / (samples.count + 1))
    const bytes = await sound.read(start, start + samples.bytes)
    const { bitrate = 0 } = await formatOf(
      {
        byteLength: bytes.length,
        read: async (from, to) => bytes.subarray(from, to),
      },
      'audio/mpeg',
    )
    if (bitrate > 0) rates.push(bitrate)
  }
  const perByte = rates.reduce((sum, bitrate) => sum + 8 / bitrate, 0) / rates.length
  return rates.length > 0 && sound.byteLength * perByte > told * tolerance ? sound.byteLength * perByte : 0
}

/** Bytes per read, because the library asks for a few bytes at a time. */
const windowBytes = 65_536
/** Maximum reads of the library: a file that needs more is estimated by its size. */
const readsMax = 50_000
/** Reads after which other requests may run. */
const readsPerTurn = 200
/** The largest part that is read whole: the index of a long file. Beyond it the length is estimated. */
const partBytesMax = 16 * 1024 * 1024

/** The format from a file's headers; incomplete if the file is damaged or takes too long. */
async function formatOf(sound: Sound, mimeType = ''): Promise<IFormat> {
  // Loaded on first use, because most servers never receive audio.
  const { parseBlob } = await import('music-metadata')
  let format: IFormat = noFormat
  const observer = ({ metadata }: { readonly metadata: { readonly format: IFormat } }): void => {
    format = metadata.format
  }
  try {
    await parseBlob(blobOf(sound, mimeType), { duration: true, skipCovers: true, skipPostHeaders: true, mkvUseIndex: true, observer })
  } catch {
    // A damaged file is not an error here: the vendor reports what is wrong with it.
  }
  return format
}

const noFormat: IFormat = { trackInfo: [], tagTypes: [] }

/** The file as a Blob for the library: buffered reads, regular pauses for other requests, and a maximum number of reads. */
function blobOf(sound: Sound, type: string): Blob {
  let window: Uint8Array = new Uint8Array()
  let windowStart = 0
  let reads = 0

  async function arrayBuffer(start: number, end: number): Promise<ArrayBuffer> {
    reads += 1
    if (reads > readsMax || end - start > partBytesMax) throw new Error('the headers of an audio file take too long to read')
    if (reads % readsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    if (start < windowStart || end > windowStart + window.length) {
      window = await sound.read(start, Math.min(sound.byteLength, Math.max(end, start + windowBytes)))
      windowStart = start
    }
    return Uint8Array.from(window.subarray(start - windowStart, end - windowStart)).buffer
  }

  // Holds: the library uses only these members of a Blob.
  return { size: sound.byteLength, type, slice: (start = 0, end = 0) => ({ arrayBuffer: () => arrayBuffer(start, end) }) } as Blob
}
