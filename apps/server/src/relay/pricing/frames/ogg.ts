import { opusPacketMs } from './opus.ts'

const pageMark = Buffer.from('OggS')
const headBytes = 27
/** Streams that are told apart. Packets of further ones count as Opus. */
const streamsMax = 256
/** Vorbis has short blocks, too: its packets count as if each were a third of a long one. */
const longBlockShare = 1 / 3
/** Packets that begin a stream and have no sound: of Opus two, of Vorbis three. */
const heads = { opus: 2, vorbis: 3, other: 0 } as const

interface Stream {
  readonly codec: keyof typeof heads
  /** Of Vorbis. */
  readonly packetSeconds: number
  packets: number
  seconds: number
  /** Whether the last packet goes on in the next page. */
  isOpen: boolean
}

/** Seconds of an Ogg file (RFC 3533) by the packets of its streams, one after the other, not by their positions, which no decoder needs. */
export function oggSeconds(bytes: Buffer): number {
  const streams = new Map<number, Stream>()
  for (let at = bytes.indexOf(pageMark); at !== -1 && at + headBytes <= bytes.length; ) {
    const end = readPage(bytes, at, streams)
    at = bytes.indexOf(pageMark, Math.max(end, at + 1))
  }
  return [...streams.values()].reduce((sum, { seconds }) => sum + seconds, 0)
}

/** @returns where the next page begins */
function readPage(bytes: Buffer, pageAt: number, streams: Map<number, Stream>): number {
  const lacingAt = pageAt + headBytes
  const segments = Math.min(bytes.readUInt8(pageAt + 26), bytes.length - lacingAt)
  let at = lacingAt + segments
  const stream = streamAt({ bytes, pageAt, at }, streams)
  const isContinued = (bytes.readUInt8(pageAt + 5) & 1) !== 0 && stream.isOpen
  stream.isOpen = isContinued
  for (let segment = 0; segment < segments; segment += 1) {
    const length = bytes.readUInt8(lacingAt + segment)
    if (!stream.isOpen && length > 0 && at < bytes.length) addPacket(stream, bytes, at)
    stream.isOpen = length === 255
    at += length
  }
  return at
}

function addPacket(stream: Stream, bytes: Buffer, at: number): void {
  stream.packets += 1
  if (stream.packets <= heads[stream.codec]) return
  stream.seconds += stream.codec === 'opus' ? opusPacketMs(bytes.readUInt8(at), bytes[at + 1] ?? 0) / 1000 : stream.packetSeconds
}

interface PagePlace {
  readonly bytes: Buffer
  readonly pageAt: number
  /** Its first packet. */
  readonly at: number
}

function streamAt({ bytes, pageAt, at }: PagePlace, streams: Map<number, Stream>): Stream {
  const serial = bytes.readUInt32LE(pageAt + 14)
  const isBeyond = streams.size >= streamsMax && !streams.has(serial)
  const key = isBeyond ? -1 : serial
  const stream = streams.get(key) ?? { ...(isBeyond ? opus : formatAt(bytes, at)), packets: 0, seconds: 0, isOpen: false }
  streams.set(key, stream)
  return stream
}

type Format = Pick<Stream, 'codec' | 'packetSeconds'>
const opus: Format = { codec: 'opus', packetSeconds: 0 }

/** What the first packet of a stream says of it ("Vorbis I specification", 4.2.2). */
function formatAt(bytes: Buffer, at: number): Format {
  const mark = bytes.toString('latin1', at, at + 8)
  if (mark === 'OpusHead') return opus
  if (!mark.startsWith('\x01vorbis') || at + 30 > bytes.length) return { codec: 'other', packetSeconds: 0 }
  const rate = Math.max(1, bytes.readUInt32LE(at + 12))
  const longBlock = 2 ** Math.min(13, bytes.readUInt8(at + 28) >> 4)
  return { codec: 'vorbis', packetSeconds: ((longBlock / 2) * longBlockShare) / rate }
}
