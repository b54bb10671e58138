// Small audio files whose headers and frames say different lengths.

/** Opus packets of 60 ms in Ogg pages of two hundred, whose positions end at `positionSeconds`. */
export function oggOpus(packets: number, positionSeconds: number): Buffer {
  const packet = Buffer.from([3 << 3, 0, 0, 0])
  const about = Buffer.alloc(19)
  about.write('OpusHead\x01\x01', 'latin1')
  const pages = [oggPage([about], 0, 2), oggPage([Buffer.from('OpusTags\0\0\0\0\0\0\0\0')], 0, 0)]
  for (let done = 0; done < packets; done += 200)
    pages.push(oggPage(Array<Buffer>(Math.min(200, packets - done)).fill(packet), positionSeconds * 48_000, 4))
  return Buffer.concat(pages)
}

/** Speex packets of one frame, 20 ms. */
export function oggSpeex(packets: number, positionSeconds: number): Buffer {
  const about = Buffer.alloc(80)
  about.write('Speex   1.2', 'latin1')
  about.writeUInt32LE(8_000, 36)
  about.writeUInt32LE(160, 56)
  about.writeUInt32LE(1, 64)
  const packet = Buffer.alloc(6, 0x11)
  const pages = [oggPage([about], 0, 2), oggPage([Buffer.alloc(8)], 0, 0)]
  for (let done = 0; done < packets; done += 200)
    pages.push(oggPage(Array<Buffer>(Math.min(200, packets - done)).fill(packet), positionSeconds * 8_000, 4))
  return Buffer.concat(pages)
}

/** The frames of `flacFile` in Ogg. */
export function oggFlac(frames: number, positionSeconds: number): Buffer {
  const head = flacFile(1, 0)
  const about = Buffer.concat([Buffer.from('\x7fFLAC\x01\0\0\x01', 'latin1'), head.subarray(0, 42)])
  const frame = Buffer.concat([head.subarray(42, 52), Buffer.alloc(10)])
  const pages = [oggPage([about], 0, 2), oggPage([Buffer.from([4, 0, 0, 0])], 0, 0)]
  for (let done = 0; done < frames; done += 200)
    pages.push(oggPage(Array<Buffer>(Math.min(200, frames - done)).fill(frame), positionSeconds * 16_000, 4))
  return Buffer.concat(pages)
}

/** Of packets with long blocks of 2,048 samples at 44.1 kHz. */
export function vorbisHead(): Buffer {
  const about = Buffer.alloc(30)
  about.write('\x01vorbis', 'latin1')
  about.writeUInt8(1, 11)
  about.writeUInt32LE(44_100, 12)
  about.writeUInt8(0xb8, 28)
  about.writeUInt8(1, 29)
  return about
}

/** Vorbis packets with long blocks. */
export function oggVorbis(packets: number, positionSeconds: number): Buffer {
  const about = vorbisHead()
  const pages = [oggPage([about], 0, 2), oggPage([Buffer.from('\x03vorbis'), Buffer.from('\x05vorbis')], 0, 0)]
  for (let done = 0; done < packets; done += 200)
    pages.push(oggPage(Array<Buffer>(Math.min(200, packets - done)).fill(Buffer.alloc(30)), positionSeconds * 44_100, 4))
  return Buffer.concat(pages)
}

function oggPage(packets: readonly Buffer[], position: number, flags: number): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS', 'latin1')
  head.writeUInt8(flags, 5)
  head.writeBigInt64LE(BigInt(Math.round(position)), 6)
  head.writeUInt8(1, 14)
  head.writeUInt8(packets.length, 26)
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}

/** FLAC frames of 4,096 samples at 16 kHz, of one channel with 16 bits, and a header with so many samples. */
export function flacFile(frames: number, samples: number): Buffer {
  const head = Buffer.alloc(42)
  head.write('fLaC\x80', 'latin1')
  head.writeUIntBE(34, 5, 3)
  head.writeUInt16BE(4096, 8)
  head.writeUInt16BE(4096, 10)
  head.writeUIntBE(16_000 << 4, 18, 3)
  head.writeUInt8(0xf0, 21)
  head.writeUInt32BE(samples, 22)
  // Synchronization, 4,096 samples at the rate of the file, one channel, number 1.
  const frame = Buffer.from([0xff, 0xf8, 0xc0, 0x08, 1, 0, 0, 0, 0, 0])
  frame.writeUInt8(crc8(frame.subarray(0, 5)), 5)
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.alloc(16)])
}

function crc8(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = ((sum << 1) ^ (sum >= 0x80 ? 0x107 : 0)) & 0x1ff
  }
  return sum
}

/** Frames of MPEG-2 layer III at 16 kHz and 8 kbit/s, 36 ms each, behind a first one that says how many there are. */
export function mp3File(frames: number, declaredFrames: number): Buffer {
  const frame = Buffer.alloc(36)
  frame.set([0xff, 0xf3, 0x18, 0xc4])
  const first = Buffer.alloc(144)
  first.set([0xff, 0xf3, 0x48, 0xc4])
  first.write('Xing', 13, 'latin1')
  first.writeUInt32BE(1, 17)
  first.writeUInt32BE(declaredFrames, 21)
  return Buffer.concat([first, ...Array<Buffer>(frames).fill(frame)])
}

/** MP3 frames in a WAV file whose header says so many bytes per second. */
export function mp3InWav(frames: number, bytesPerSecond: number): Buffer {
  const content = mp3File(frames, 1)
  const head = Buffer.alloc(50)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(42 + content.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(18, 16)
  head.writeUInt16LE(0x55, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(bytesPerSecond, 28)
  head.writeUInt16LE(1, 32)
  head.write('data', 38, 'latin1')
  head.writeUInt32LE(content.length, 42)
  return Buffer.concat([head.subarray(0, 46), content])
}

/** ADTS frames of AAC of 1,024 samples at 16 kHz. */
export function aacFile(frames: number): Buffer {
  const frame = Buffer.from([0xff, 0xf1, 0x60, 0x40, 1, 0x7f, 0xfc, 0, 0, 0, 0])
  return Buffer.concat(Array<Buffer>(frames).fill(frame))
}

export function amrFile(frames: number): Buffer {
  return Buffer.concat([Buffer.from('#!AMR\n'), ...Array<Buffer>(frames).fill(Buffer.concat([Buffer.from([0]), Buffer.alloc(12)]))])
}

/** WebM with Opus packets of 60 ms. */
export function webmOpus(packets: number, declaredSeconds: number, blockMs: number): Buffer {
  return webmAudio({ codec: 'A_OPUS', packet: Buffer.from([3 << 3, 0, 0]) }, { packets, declaredSeconds, blockMs })
}

interface WebmTrack {
  readonly codec: string
  readonly packet: Buffer
  /** Of a second: as its bytes. */
  readonly rate?: string
  readonly about?: Buffer
}

interface WebmTimes {
  readonly packets: number
  readonly declaredSeconds: number
  readonly blockMs: number
}

/** WebM with a packet a block, and what its header and the times of its blocks say. Sizes of the parts are not known. */
export function webmAudio(
  { codec, packet, rate = '473b8000', about = Buffer.alloc(0) }: WebmTrack,
  { packets, declaredSeconds, blockMs }: WebmTimes,
): Buffer {
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(declaredSeconds * 1000)
  const info = element('1549a966', element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])), element('4489', duration))
  const audio = element('e1', element('b5', Buffer.from(rate, 'hex')), element('9f', Buffer.from([1])))
  const track = element(
    'ae',
    element('d7', Buffer.from([1])),
    element('83', Buffer.from([2])),
    element('86', Buffer.from(codec)),
    element('63a2', about),
    audio,
  )
  const clusters = Array.from({ length: Math.ceil(packets / 20) }, (_, index) => {
    const time = Buffer.alloc(4)
    time.writeUInt32BE(index * 20 * blockMs)
    const blocks = Array.from({ length: Math.min(20, packets - index * 20) }, (_, place) => {
      const head = Buffer.from([0x81, 0, 0, 0])
      head.writeInt16BE(place * blockMs, 1)
      return element('a3', head, packet)
    })
    return Buffer.concat([Buffer.from('1f43b67501ffffffffffffff', 'hex'), element('e7', time), ...blocks])
  })
  const head = element('1a45dfa3', element('4282', Buffer.from('webm')))
  return Buffer.concat([head, Buffer.from('1853806701ffffffffffffff', 'hex'), info, element('1654ae6b', track), ...clusters])
}

function element(id: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(0x1000_0000 + body.length)
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

/** One channel of 8 kHz that says that it is ten samples long, with so many bytes of audio. */
export function codedWav({ tag, bits }: { readonly tag: number; readonly bits: number }, byteLength = 480_000): Buffer {
  const head = Buffer.alloc(68)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(60 + 20, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(40, 16)
  head.writeUInt16LE(tag, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(6_000_000, 28)
  head.writeUInt16LE(256, 32)
  head.writeUInt16LE(bits, 34)
  // Where an extensible format has the tag.
  head.writeUInt16LE(1, 44)
  head.write('data', 60, 'latin1')
  head.writeUInt32LE(20, 64)
  return Buffer.concat([head, Buffer.alloc(byteLength)])
}

/** Samples as an AIFF file, or with a compression type as an AIFF-C file. */
export function codedAiff({ type, bits }: { readonly type?: string; readonly bits: number }, byteLength = 480_000): Buffer {
  const head = Buffer.alloc(60)
  head.write(type === undefined ? 'FORM....AIFFCOMM' : 'FORM....AIFCCOMM', 0, 'latin1')
  head.writeUInt32BE(52, 4)
  head.writeUInt32BE(24, 16)
  head.writeUInt16BE(1, 20)
  head.writeUInt32BE(10, 22)
  head.writeUInt16BE(bits, 26)
  head.set([0x40, 0x0b, 0xfa], 28)
  head.write(type ?? '', 38, 'latin1')
  head.write('SSND', 44, 'latin1')
  head.writeUInt32BE(20, 48)
  return Buffer.concat([head, Buffer.alloc(byteLength)])
}
