import { opusPacketMs } from './opus.ts'

// Elements of WebM and Matroska (RFC 9559, 5.1). Those that contain others that are read:
const containers: ReadonlySet<number> = new Set([0x18538067, 0x1f43b675, 0xa0, 0x1654ae6b, 0xae, 0x1549a966])
const trackEntry = 0xae
const trackNumber = 0xd7
const codecId = 0x86
const timestampScale = 0x2ad7b1
const clusterTime = 0xe7
const simpleBlock = 0xa3
const groupedBlock = 0xa1
const tracksMax = 64
/** AAC: samples of a packet, and the highest rate that is usual for it. */
const aacSeconds = 1024 / 48_000

interface Track {
  number: number
  codec: string
  seconds: number
}

interface Reading {
  readonly bytes: Buffer
  readonly tracks: Track[]
  /** Nanoseconds of a unit of time. */
  scale: number
  clusterTime: number
  first: number
  last: number
}

/** Seconds of a WebM or Matroska file by its blocks: their times, and of Opus and AAC the packets in them. */
export function matroskaSeconds(bytes: Buffer): number {
  const reading: Reading = { bytes, tracks: [], scale: 1_000_000, clusterTime: 0, first: Number.POSITIVE_INFINITY, last: 0 }
  for (let at = 0; at < bytes.length; ) {
    const id = idAt(bytes, at)
    const size = numberAt(bytes, at + id.length)
    const start = at + id.length + size.length
    if (id.length === 0 || size.length === 0) at += 1
    else if (containers.has(id.value)) {
      if (id.value === trackEntry && reading.tracks.length < tracksMax) reading.tracks.push({ number: 0, codec: '', seconds: 0 })
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
  else if (id === simpleBlock || id === groupedBlock) readBlock(reading, { start, end })
}

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

function packetSeconds({ codec }: Track, packet: Buffer): number {
  if (codec === 'A_OPUS') return opusPacketMs(packet[0] ?? 0, packet[1] ?? 0) / 1000
  return codec.startsWith('A_AAC') ? aacSeconds : 0
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

function unsignedIn(bytes: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < Math.min(end, start + 8); at += 1) value = value * 256 + bytes.readUInt8(at)
  return value
}
