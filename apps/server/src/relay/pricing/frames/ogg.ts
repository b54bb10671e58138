import { opusPacketMs } from '@sluice/contract'
import { flacFrameSeconds } from './flac.ts'
import { vorbisMark, vorbisPacketSeconds } from './vorbis.ts'

const pageMark = Buffer.from('OggS')
const headBytes = 27
/** Maximum number of streams that are distinguished. Packets of further ones count as Opus. */
const streamsMax = 256
/** Packets that begin a stream and have no audio. */
const heads = { opus: 2, vorbis: 3, speex: 2, flac: 2, other: 0 } as const

interface Stream {
  readonly codec: keyof typeof heads
  /** Of Vorbis and Speex. */
  readonly packetSeconds: number
  /** Of FLAC: samples in a second. */
  readonly rate: number
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
  stream.seconds += secondsOf(stream, bytes, at)
}

function secondsOf({ codec, packetSeconds, rate }: Format, bytes: Buffer, at: number): number {
  if (codec === 'opus') return opusPacketMs(bytes.readUInt8(at), bytes[at + 1] ?? 0) / 1000
  return codec === 'flac' && at + 16 <= bytes.length ? flacFrameSeconds(bytes, at, rate) : packetSeconds
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

type Format = Pick<Stream, 'codec' | 'packetSeconds' | 'rate'>
const opus: Format = { codec: 'opus', packetSeconds: 0, rate: 0 }

const speexMark = 'Speex   '
/** A frame of Speex, whatever its rate, and the most of them in a packet ("The Speex Codec Manual", header). */
const speex = { frameSeconds: 0.02, framesMax: 10, framesAt: 64, headBytes: 68 } as const
const flacMark = '\x7fFLAC'
/** Where the first packet of FLAC has its rate ("Ogg FLAC mapping"). */
const flacRateAt = 27

/** What the first packet of a stream says of it. */
function formatAt(bytes: Buffer, at: number): Format {
  const mark = bytes.toString('latin1', at, at + 8)
  if (mark === 'OpusHead') return opus
  const other: Format = { codec: 'other', packetSeconds: 0, rate: 0 }
  if (mark.startsWith(vorbisMark)) return { ...other, codec: 'vorbis', packetSeconds: vorbisPacketSeconds(bytes, at) }
  if (mark === speexMark && at + speex.headBytes <= bytes.length) {
    const frames = Math.min(speex.framesMax, Math.max(1, bytes.readUInt32LE(at + speex.framesAt)))
    return { ...other, codec: 'speex', packetSeconds: frames * speex.frameSeconds }
  }
  if (!mark.startsWith(flacMark) || at + flacRateAt + 3 > bytes.length) return other
  return { ...other, codec: 'flac', rate: bytes.readUIntBE(at + flacRateAt, 3) >> 4 }
}
