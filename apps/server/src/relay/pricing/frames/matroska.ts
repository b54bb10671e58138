import { opusPacketMs } from '@sluice/contract'
import { flacFrameSeconds } from './flac.ts'
import { vorbisMark, vorbisPacketSeconds } from './vorbis.ts'

// Elements of WebM and Matroska (RFC 9559, 5.1). Those that contain others that are read:
const containers: ReadonlySet<number> = new Set([0x18538067, 0x1f43b675, 0xa0, 0x1654ae6b, 0xae, 0x1549a966, 0xe1])
const trackEntry = 0xae
const trackNumber = 0xd7
const codecId = 0x86
const codecPrivate = 0x63a2
const samplingRate = 0xb5
const timestampScale = 0x2ad7b1
const clusterTime = 0xe7
const simpleBlock = 0xa3
const groupedBlock = 0xa1
const tracksMax = 64
/** Samples of a packet, by the beginning of the codec; others are timed by their blocks. */
const packetSamples: ReadonlyArray<readonly [codec: string, samples: number]> = [
  ['A_AAC', 1_024],
  ['A_MPEG/L3', 1_152],
  ['A_MPEG', 384],
  ['A_AC3', 1_536],
  ['A_EAC3', 1_536],
  ['A_ALAC', 4_096],
]
/** Rates that are believed: of speech, and the highest that is usual. */
const rates = { least: 8_000, usual: 48_000 } as const
/** Rates of AAC, by the code in its configuration (ISO/IEC 14496-3, 1.6.3.4). */
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000] as const
/** The longest head of a frame of FLAC. */
const flacHeadBytes = 16
/** Vorbis without its first packet: long blocks of 2,048 samples, of which a third counts. */
const vorbisUnknown = 1_024 / 3 / 44_100

interface Track {
  number: number
  codec: string
  /** Samples in a second. */
  rate: number
  /** What it says of its codec. */
  about: Buffer
  seconds: number
}

const none = Buffer.alloc(0)

interface Reading {
  readonly bytes: Buffer
  readonly tracks: Track[]
  /** Nanoseconds of a unit of time. */
  scale: number
  clusterTime: number
  first: number
  last: number
}

/** Seconds of a WebM or Matroska file by its blocks: their times, and the packets in them where a codec has packets of one length. */
export function matroskaSeconds(bytes: Buffer): number {
  const reading: Reading = { bytes, tracks: [], scale: 1_000_000, clusterTime: 0, first: Number.POSITIVE_INFINITY, last: 0 }
  for (let at = 0; at < bytes.length; ) {
    const id = idAt(bytes, at)
    const size = numberAt(bytes, at + id.length)
    const start = at + id.length + size.length
    if (id.length === 0 || size.length === 0) at += 1
    else if (containers.has(id.value)) {
      if (id.value === trackEntry && reading.tracks.length < tracksMax)
        reading.tracks.push({ number: 0, codec: '', rate: rates.usual, about: none, seconds: 0 })
      at = start
    } else {
      const end = Math.min(bytes.length, start + size.value)
      readElement(reading, id.value, { start, end })
      at = end
    }
  }
  const { first, last, scale, tracks } = reading
  const timed = first <= last ? ((last - first) * scale) / 1e9 : 0
  return Math.max(timed, ...tracks.map(({ seconds }) => seconds))
}

interface Place {
  readonly start: number
  readonly end: number
}

function readElement(reading: Reading, id: number, { start, end }: Place): void {
  const track = reading.tracks.at(-1)
  if (id === timestampScale) reading.scale = unsignedIn(reading.bytes, start, end)
  else if (id === clusterTime) reading.clusterTime = unsignedIn(reading.bytes, start, end)
  else if (id === trackNumber && track !== undefined) track.number = unsignedIn(reading.bytes, start, end)
  else if (id === codecId && track !== undefined) track.codec = reading.bytes.toString('latin1', start, Math.min(end, start + 32))
  else if (id === samplingRate && track !== undefined) track.rate = floatIn(reading.bytes, start, end)
  else if (id === codecPrivate && track !== undefined) track.about = reading.bytes.subarray(start, Math.min(end, start + aboutMax))
  else if (id === simpleBlock || id === groupedBlock) readBlock(reading, { start, end })
}

/** Bytes of what is read of a codec: the first packet of Vorbis stands at the beginning. */
const aboutMax = 256

function readBlock(reading: Reading, { start, end }: Place): void {
  const { bytes, tracks } = reading
  const number = numberAt(bytes, start)
  const at = start + number.length
  if (number.length === 0 || at + 4 > end) return
  const time = reading.clusterTime + bytes.readInt16BE(at)
  reading.first = Math.min(reading.first, time)
  reading.last = Math.max(reading.last, time)
  const track = tracks.find((one) => one.number === number.value)
  if (track === undefined) return
  const isLaced = (bytes.readUInt8(at + 2) & 6) !== 0
  const packets = isLaced ? bytes.readUInt8(at + 3) + 1 : 1
  track.seconds += packets * packetSeconds(track, bytes.subarray(at + (isLaced ? lacedAt(bytes, at) : 3), end))
}

/** Where the first packet of a block with several of them begins; their sizes come before it. */
function lacedAt(bytes: Buffer, at: number): number {
  const packets = bytes.readUInt8(at + 3)
  const lacing = bytes.readUInt8(at + 2) & 6
  let sizes = at + 4
  for (let packet = 0; lacing !== 4 && packet < packets && sizes < bytes.length; packet += 1) {
    if (lacing === 6) sizes += Math.max(1, numberAt(bytes, sizes).length)
    else {
      while (bytes[sizes] === 255) sizes += 1
      sizes += 1
    }
  }
  return sizes - at
}

function packetSeconds(track: Track, packet: Buffer): number {
  const { codec, about } = track
  if (codec.startsWith('A_OPUS')) return opusPacketMs(packet[0] ?? 0, packet[1] ?? 0) / 1000
  if (codec.startsWith('A_VORBIS')) {
    const at = about.indexOf(vorbisMark, 0, 'latin1')
    return at === -1 ? vorbisUnknown : vorbisPacketSeconds(about, at)
  }
  if (codec.startsWith('A_FLAC')) return packet.length < flacHeadBytes ? 0 : flacFrameSeconds(packet, 0, rateOf(track))
  const samples = packetSamples.find(([start]) => codec.startsWith(start))?.[1] ?? 0
  return samples / rateOf(track)
}

/** Of AAC the lower one of the track's and the decoder's, because a decoder may double its own. */
function rateOf({ codec, rate, about }: Track): number {
  const code = codec.startsWith('A_AAC') && about.length >= 2 ? ((about.readUInt8(0) & 7) << 1) | (about.readUInt8(1) >> 7) : -1
  return Math.max(rates.least, Math.min(rates.usual, rate, aacRates[code] ?? rates.usual))
}

interface Read {
  readonly value: number
  /** 0: there is none. */
  readonly length: number
}

/** The id of an element, with its marker. */
function idAt(bytes: Buffer, at: number): Read {
  const length = Math.clz32(bytes[at] ?? 0) - 23
  return length > 4 || at + length > bytes.length ? { value: 0, length: 0 } : { value: bytes.readUIntBE(at, length), length }
}

/** A number without its marker. If all its bits are set, a size is not known: it is larger than any file. */
function numberAt(bytes: Buffer, at: number): Read {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > 8 || at + length > bytes.length) return { value: 0, length: 0 }
  let value = first & (0xff >> length)
  for (let byte = 1; byte < length; byte += 1) value = value * 256 + bytes.readUInt8(at + byte)
  return { value, length }
}

/** A number of four or eight bytes; another length: the usual rate. */
function floatIn(bytes: Buffer, start: number, end: number): number {
  const rate = end - start === 4 ? bytes.readFloatBE(start) : end - start === 8 ? bytes.readDoubleBE(start) : rates.usual
  return Number.isFinite(rate) ? rate : rates.usual
}

function unsignedIn(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < Math.min(end, start + 8); at += 1) value = value * 256 + bytes.readUInt8(at)
  return value
}
