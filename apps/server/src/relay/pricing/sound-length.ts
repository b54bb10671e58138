import type { IFormat } from 'music-metadata'

/** A sound, wherever it is kept. */
export interface Sound {
  readonly byteLength: number
  /** From `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>
}

/** Bytes of a second where nothing is known: speech at 64 kbit/s. */
const commonBytesPerSecond = 8_000
/** Bytes of a file that are no sound: its header. Pictures of a cover are more, and make a file look longer than it is. */
const headerBytes = 1_024
/** A second of sound that is not made smaller: from one channel of 8 bits at 1 kHz to eight of 32 bits at 192 kHz. */
const rawBytesPerSecond = { least: 1_000, most: 6_144_000 } as const

/**
 * Milliseconds of a sound: what its headers tell, but never less than its bytes can hold; reckoned from its length where the headers do not
 * tell. A length that the vendor tells comes before it.
 */
export async function soundMsOf(sound: Sound): Promise<number> {
  const format = await formatOf(sound)
  const told = format.duration ?? 0
  if (!(told > 0 && told <= secondsMax)) return Math.ceil((sound.byteLength / commonBytesPerSecond) * 1000)
  const held = Math.max(0, sound.byteLength - headerBytes) / bytesPerSecondOf(format)
  return Math.ceil(Math.max(told, held, await sampledSeconds(sound, format, told)) * 1000)
}

/** Longer than any upload can be: a week. */
const secondsMax = 604_800

/** The most bytes that a second of such a sound takes. */
function bytesPerSecondOf({ container = '', codec = '', sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 }: IFormat): number {
  const compressed = compressedMax.find(([pattern]) => pattern.test(`${container} ${codec}`))
  if (compressed !== undefined) return compressed[1]
  const raw = (sampleRate * numberOfChannels * bitsPerSample) / 8
  return raw > 0 ? Math.min(Math.max(raw, rawBytesPerSecond.least), rawBytesPerSecond.most) : rawBytesPerSecond.most
}

/** By container and codec, the first that fits; what is not named is raw, or made smaller without loss. */
const compressedMax: ReadonlyArray<readonly [RegExp, number]> = [
  // 320 kbit/s.
  [/^MPEG|ADTS|Layer [123]/, 40_000],
  [/^Ogg\/?(?!.*FLAC)/i, 64_000],
  // There may be moving pictures beside the sound.
  [/matroska|webm|mp4|m4a|isom|qt|asf/i, 1_250_000],
]

/** Places of a file that are looked at, and bytes of each, where a rate of bits is told by its first frames only. */
const samples = { count: 4, bytes: 32_768 } as const
/** How much longer than told a file may look in its samples before they are believed: the rate of bits varies. */
const tolerance = 1.25

/**
 * Frames of MPEG sound each have a rate of their own, and a file is told to be as short as its first frames make it. Where frames further
 * behind are smaller, the file is as long as they say. 0: nothing speaks against what was told.
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

/** Bytes that are read at a time, because the library asks for a few at a time. */
const windowBytes = 65_536
/** Reads of the library: a file that needs more is reckoned by its length. */
const readsMax = 50_000
/** Reads after which other requests have a turn. */
const readsPerTurn = 200
/** The largest part that is read whole: the table of a long file. Beyond it nobody needs to be told of the length so exactly. */
const partBytesMax = 16 * 1024 * 1024

/** What the headers of a file say; what was found until then where the file is damaged, or takes too long. */
async function formatOf(sound: Sound, mimeType = ''): Promise<IFormat> {
  // Most servers never hear a sound, so the library is loaded with the first.
  const { parseBlob } = await import('music-metadata')
  let format: IFormat = noFormat
  const observer = ({ metadata }: { readonly metadata: { readonly format: IFormat } }): void => {
    format = metadata.format
  }
  try {
    await parseBlob(blobOf(sound, mimeType), { duration: true, skipCovers: true, skipPostHeaders: true, mkvUseIndex: true, observer })
  } catch {
    // A damaged file is no error of ours: its vendor says what is wrong with it.
  }
  return format
}

const noFormat: IFormat = { trackInfo: [], tagTypes: [] }

/** A sound as the library reads it: in windows, with a turn for other requests now and then, and not for ever. */
function blobOf(sound: Sound, type: string): Blob {
  let window: Uint8Array = new Uint8Array()
  let windowStart = 0
  let reads = 0

  async function arrayBuffer(start: number, end: number): Promise<ArrayBuffer> {
    reads += 1
    if (reads > readsMax || end - start > partBytesMax) throw new Error('the headers of a sound take too long to read')
    if (reads % readsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    if (start < windowStart || end > windowStart + window.length) {
      window = await sound.read(start, Math.min(sound.byteLength, Math.max(end, start + windowBytes)))
      windowStart = start
    }
    return Uint8Array.from(window.subarray(start - windowStart, end - windowStart)).buffer
  }

  // Holds: of a blob, the library uses these.
  return { size: sound.byteLength, type, slice: (start = 0, end = 0) => ({ arrayBuffer: () => arrayBuffer(start, end) }) } as Blob
}
