/** A way to read how long a sound is from its first bytes; `null`: it is none of that kind, or does not say. */
type Reader = (head: Buffer, byteLength: number) => number | null

interface Format {
  readonly read: Reader
  /** The most bytes that a second takes. A head that tells of less than its bytes need is not believed. */
  readonly bytesPerSecondMax: number
}

/** Bytes of a second where nothing is known: speech at 64 kbit/s. */
const commonBytesPerSecond = 8_000

/**
 * Milliseconds of a sound, from its head and its whole length in bytes, reckoned from its length where the head does not tell. A count of the
 * vendor comes before it.
 */
export function soundMsOf(head: Uint8Array, byteLength: number): number {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  for (const { read, bytesPerSecondMax } of formats) {
    const told = read(bytes, byteLength)
    if (told !== null && Number.isFinite(told) && told > 0) return Math.ceil(Math.max(told, (byteLength / bytesPerSecondMax) * 1000))
  }
  return Math.ceil((byteLength / commonBytesPerSecond) * 1000)
}

const isAt = (bytes: Buffer, offset: number, text: string): boolean => bytes.toString('latin1', offset, offset + text.length) === text

/** RIFF: `fmt ` says how many bytes a second takes, `data` how many there are. */
const wav: Reader = (head, byteLength) => {
  if (head.length < 12 || !isAt(head, 0, 'RIFF') || !isAt(head, 8, 'WAVE')) return null
  let bytesPerSecond = 0
  let offset = 12
  while (offset + 8 <= head.length) {
    const size = head.readUInt32LE(offset + 4)
    if (isAt(head, offset, 'fmt ') && offset + 20 <= head.length) bytesPerSecond = head.readUInt32LE(offset + 16)
    if (isAt(head, offset, 'data') && bytesPerSecond > 0) return (Math.min(size, byteLength - offset - 8) / bytesPerSecond) * 1000
    offset += 8 + size + (size % 2)
  }
  return null
}

/** The first block holds the sampling rate in 20 bits and the samples in 36. */
const flac: Reader = (head) => {
  if (head.length < 26 || !isAt(head, 0, 'fLaC')) return null
  const rate = head.readUIntBE(18, 3) >>> 4
  const samples = (head.readUInt8(21) & 0x0f) * 2 ** 32 + head.readUInt32BE(22)
  return rate === 0 ? null : (samples / rate) * 1000
}

/** Vorbis names its usual rate of bits; Opus does not. */
const ogg: Reader = (head, byteLength) => {
  if (!isAt(head, 0, 'OggS')) return null
  const start = head.indexOf('\x01vorbis', 0, 'latin1')
  const bitsPerSecond = start === -1 || start + 24 > head.length ? 0 : head.readInt32LE(start + 20)
  return bitsPerSecond > 0 ? (byteLength * 8000) / bitsPerSecond : null
}

/** The box `mvhd` has the length and how many of its units a second is; its second version has wider times before them. */
const mp4: Reader = (head) => {
  if (!isAt(head, 4, 'ftyp')) return null
  const start = head.indexOf('mvhd', 0, 'latin1')
  if (start === -1 || start + 36 > head.length) return null
  const isWide = head.readUInt8(start + 4) === 1
  const unitsPerSecond = head.readUInt32BE(start + (isWide ? 24 : 16))
  const length = isWide ? Number(head.readBigUInt64BE(start + 28)) : head.readUInt32BE(start + 20)
  return unitsPerSecond === 0 ? null : (length / unitsPerSecond) * 1000
}

/** EBML: the element `Duration` is a number of 4 or 8 bytes, in milliseconds unless a scale (in nanoseconds) says otherwise. */
const webm: Reader = (head) => {
  if (head.length < 4 || head.readUInt32BE(0) !== 0x1a45dfa3) return null
  const duration = head.indexOf(Buffer.from([0x44, 0x89]))
  if (duration === -1 || duration + 11 > head.length) return null
  const size = head.readUInt8(duration + 2) & 0x0f
  const units = size === 4 ? head.readFloatBE(duration + 3) : head.readDoubleBE(duration + 3)
  const scale = head.indexOf(Buffer.from([0x2a, 0xd7, 0xb1]))
  const isTold = scale !== -1 && scale + 10 <= head.length
  const nanoseconds = isTold ? head.readUIntBE(scale + 4, Math.min(6, Math.max(1, head.readUInt8(scale + 3) & 0x07))) : 1_000_000
  return (units * nanoseconds) / 1_000_000
}

/** kbit/s of layer III by its four bits; MPEG-1, and the later ones. */
const mp3Rates = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  later: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
/** Samples a second of MPEG-1 by its two bits; MPEG-2 has half, 2.5 a quarter. */
const mp3Samples = [44_100, 48_000, 32_000] as const

/** The first frame says its rate of bits; where it is not that of all, it holds how many frames there are. */
const mp3: Reader = (head, byteLength) => {
  const start = isAt(head, 0, 'ID3') && head.length >= 10 ? 10 + syncSafe(head, 6) : 0
  if (start + 4 > head.length || head.readUInt16BE(start) >>> 5 !== 0x7ff) return null
  const version = (head.readUInt8(start + 1) >>> 3) & 3
  const kbits = mp3Rates[version === 3 ? 'first' : 'later'][head.readUInt8(start + 2) >>> 4] ?? 0
  const samples = (mp3Samples[(head.readUInt8(start + 2) >>> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4)
  if (kbits === 0 || samples === 0) return null
  const frames = frameCount(head, start)
  if (frames > 0) return ((frames * (version === 3 ? 1152 : 576)) / samples) * 1000
  return ((byteLength - start) * 8) / kbits
}

/** `Xing` or `Info` within the first frame, where its flags say that the count is there. */
function frameCount(head: Buffer, start: number): number {
  for (const name of ['Xing', 'Info']) {
    const at = head.subarray(start, start + 64).indexOf(name, 0, 'latin1')
    const place = start + at
    if (at !== -1 && place + 12 <= head.length && (head.readUInt32BE(place + 4) & 1) === 1) return head.readUInt32BE(place + 8)
  }
  return 0
}

/** A number of seven bits a byte. */
function syncSafe(head: Buffer, offset: number): number {
  return head.subarray(offset, offset + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}

const formats: readonly Format[] = [
  // Eight channels of 32 bits at 192 kHz.
  { read: wav, bytesPerSecondMax: 6_144_000 },
  { read: flac, bytesPerSecondMax: 6_144_000 },
  { read: ogg, bytesPerSecondMax: 64_000 },
  // There may be moving pictures beside the sound.
  { read: mp4, bytesPerSecondMax: 1_250_000 },
  { read: webm, bytesPerSecondMax: 1_250_000 },
  { read: mp3, bytesPerSecondMax: 40_000 },
]
