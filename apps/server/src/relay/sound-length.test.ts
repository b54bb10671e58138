import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { soundMsOf } from './sound-length.ts'

function wav(seconds: number, given: { readonly bytesPerSecond?: number; readonly dataSize?: number } = {}): Buffer {
  const { bytesPerSecond = 32_000, dataSize = seconds * bytesPerSecond } = given
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt32LE(bytesPerSecond, 28)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(dataSize, 40)
  return head
}

function flac(samples: number, rate: number): Buffer {
  const head = Buffer.alloc(42)
  head.write('fLaC', 0, 'latin1')
  head.writeUIntBE(rate << 4, 18, 3)
  head.writeUInt8(Math.floor(samples / 2 ** 32), 21)
  head.writeUInt32BE(samples % 2 ** 32, 22)
  return head
}

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz. */
const mp3Frame = Buffer.from([0xff, 0xfb, 0x90, 0x00])

function mp3WithFrames(frames: number): Buffer {
  const head = Buffer.concat([mp3Frame, Buffer.alloc(200)])
  head.write('Xing', 36, 'latin1')
  head.writeUInt32BE(1, 40)
  head.writeUInt32BE(frames, 44)
  return head
}

function afterId3(frame: Buffer, tagBytes: number): Buffer {
  const tag = Buffer.alloc(10 + tagBytes)
  tag.write('ID3', 0, 'latin1')
  tag.writeUInt8(tagBytes >>> 7, 8)
  tag.writeUInt8(tagBytes & 0x7f, 9)
  return Buffer.concat([tag, frame])
}

function vorbis(bitsPerSecond: number): Buffer {
  const head = Buffer.alloc(58)
  head.write('OggS', 0, 'latin1')
  head.write('\x01vorbis', 28, 'latin1')
  head.writeInt32LE(bitsPerSecond, 48)
  return head
}

function mp4(units: number, unitsPerSecond: number): Buffer {
  const head = Buffer.alloc(96)
  head.write('ftyp', 4, 'latin1')
  head.write('moov', 28, 'latin1')
  head.write('mvhd', 36, 'latin1')
  head.writeUInt32BE(unitsPerSecond, 52)
  head.writeUInt32BE(units, 56)
  return head
}

function webm(milliseconds: number): Buffer {
  const head = Buffer.alloc(64)
  head.writeUInt32BE(0x1a45dfa3, 0)
  Buffer.from([0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40]).copy(head, 20)
  Buffer.from([0x44, 0x89, 0x88]).copy(head, 30)
  head.writeDoubleBE(milliseconds, 33)
  return head
}

describe('the length of a sound', () => {
  const rows: ReadonlyArray<readonly [string, Buffer, number, number]> = [
    ['WAV', wav(3), 96_044, 3000],
    ['WAV that came as a stream and does not know its end', wav(0, { dataSize: 0xffff_ffff }), 64_044, 2000],
    ['FLAC', flac(441_000, 44_100), 500_000, 10_000],
    ['Vorbis', vorbis(64_000), 80_000, 10_000],
    ['MP4', mp4(90_000, 1000), 500_000, 90_000],
    ['WebM', webm(12_345), 100_000, 12_345],
    ['MP3 of one rate', mp3Frame, 160_000, 10_000],
    ['MP3 that counts its frames', mp3WithFrames(1000), 400_000, 26_123],
    ['MP3 behind a tag', afterId3(mp3Frame, 500), 160_510, 10_000],
    ['something unknown, as speech', Buffer.from('unknown'), 80_000, 10_000],
  ]
  for (const [what, head, byteLength, ms] of rows) {
    test(`is read from the head of ${what}`, () => expect(soundMsOf(head, byteLength)).toBe(ms))
  }

  test('is never less than its bytes need, whatever the head tells', () => {
    expect(soundMsOf(wav(0, { bytesPerSecond: 0xffff_ffff, dataSize: 1000 }), 61_440_000)).toBe(10_000)
    expect(soundMsOf(flac(1, 44_100), 61_440_000)).toBe(10_000)
    expect(soundMsOf(mp3WithFrames(1), 400_000)).toBe(10_000)
  })

  test('is a whole number of milliseconds for any bytes at all', () => {
    const heads = [wav(1), flac(1, 1), vorbis(1), mp4(1, 1), webm(1), mp3WithFrames(1), afterId3(mp3Frame, 3), Buffer.alloc(0)]
    const damaged = fc.tuple(fc.constantFrom(...heads), fc.nat(100), fc.uint8Array({ maxLength: 40 })).map(([head, at, junk]) => {
      return Buffer.concat([head.subarray(0, at), junk, head.subarray(at + junk.length)])
    })
    fc.assert(
      fc.property(damaged, fc.nat(100_000_000), (head, byteLength) => {
        const ms = soundMsOf(head, byteLength)
        expect(Number.isInteger(ms) && ms >= 0).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})
