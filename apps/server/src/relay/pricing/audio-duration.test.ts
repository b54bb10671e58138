import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  flacWithComments,
  id3Tag,
  id3WithFrames,
  mp4Audio,
  mp4Nested,
  mp4Table,
  mp4WithoutLengths,
  oggOfPages,
  wavOfChunks,
  wavWithId3,
} from '../../../test/hostile-audio.ts'
import { wavHead } from '../../../test/wav.ts'
import type { ByteSource } from '../model/form.ts'
import { readDurationMs } from './audio-duration.ts'

/** A file with these first bytes; the others are zero. */
function fileOf(head: Uint8Array, byteLength = head.length): ByteSource {
  return {
    byteLength,
    async read(start, end) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start))
      bytes.set(head.subarray(start, end))
      return bytes
    },
  }
}

const msOf = (head: Uint8Array, byteLength?: number): Promise<number> => readDurationMs(fileOf(head, byteLength))

/** 16 bits, one channel. */
function flac(samples: number, rate: number): Buffer {
  const head = Buffer.alloc(42)
  head.write('fLaC', 0, 'latin1')
  head.writeUInt8(0x80, 4)
  head.writeUIntBE(34, 5, 3)
  head.writeUInt16BE(4096, 8)
  head.writeUInt16BE(4096, 10)
  head.writeUIntBE(rate << 4, 18, 3)
  // One channel; the five bits after it say 16 bits per sample.
  head.writeUInt8(head.readUInt8(20) | 0, 20)
  head.writeUInt8(0xf0 | Math.floor(samples / 2 ** 32), 21)
  head.writeUInt32BE(samples % 2 ** 32, 22)
  return head
}

const mp3Kbits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** MPEG-1 layer III, 44.1 kHz, two channels. */
function mp3Frame(kbits: number): Buffer {
  const frame = Buffer.alloc(Math.floor((144_000 * kbits) / 44_100))
  frame.set([0xff, 0xfb, mp3Kbits.indexOf(kbits) << 4, 0])
  return frame
}

/** Frames for so many seconds. */
function mp3(seconds: number, kbits: number): Buffer {
  return Buffer.concat(Array<Buffer>(Math.round((seconds * 44_100) / 1152)).fill(mp3Frame(kbits)))
}

/** A first frame that contains the number of frames. */
function mp3ThatCounts(frames: number): Buffer {
  const head = mp3Frame(128)
  head.write('Xing', 36, 'latin1')
  head.writeUInt32BE(3, 40)
  head.writeUInt32BE(frames, 44)
  head.writeUInt32BE(frames * head.length, 48)
  return head
}

const afterId3 = (audio: Buffer, tagBytes: number): Buffer => Buffer.concat([id3Tag(Buffer.alloc(tagBytes)), audio])

/** An audio track with its length in its header. */
const mp4 = (units: number, unitsPerSecond: number): Buffer => mp4Audio({ units, unitsPerSecond })

/** An Ogg page with an Opus header, and a last page with the position of the end in samples of 1/48,000 s. */
function opus(seconds: number): Buffer {
  const page = (flags: number, granule: number, content: Buffer): Buffer => {
    const head = Buffer.alloc(28)
    head.write('OggS', 0, 'latin1')
    head.writeUInt8(flags, 5)
    head.writeBigInt64LE(BigInt(granule), 6)
    head.writeUInt8(1, 26)
    head.writeUInt8(content.length, 27)
    return Buffer.concat([head, content])
  }
  const about = Buffer.alloc(19)
  about.write('OpusHead', 0, 'latin1')
  about.set([1, 1], 8)
  about.writeUInt32LE(48_000, 12)
  return Buffer.concat([
    page(2, 0, about),
    page(0, 0, Buffer.from('OpusTags\0\0\0\0\0\0\0\0')),
    page(4, seconds * 48_000, Buffer.alloc(100)),
  ])
}

describe('the length of an audio file', () => {
  test('is read from its headers', async () => {
    expect(await msOf(wavHead(3), 96_044)).toBe(3000)
    // A streamed file, whose header has no length.
    expect(await msOf(wavHead(0, { dataSize: 0xffff_ffff }), 64_044)).toBeWithin(1960, 2040)
    expect(await msOf(flac(441_000, 44_100), 500_000)).toBe(10_000)
    expect(await msOf(mp4(90_000, 1000), 500_000)).toBe(90_000)
    expect(await msOf(mp3(10, 128))).toBeWithin(9_900, 10_100)
    expect(await msOf(mp3ThatCounts(1000), 400_000)).toBeWithin(26_000, 26_200)
    expect(await msOf(afterId3(mp3(10, 128), 500))).toBeWithin(9_900, 10_200)
    expect(await msOf(opus(20))).toBeWithin(19_900, 20_100)
  })

  test('is estimated as speech if nothing is known', async () => {
    expect(await msOf(Buffer.from('unknown'), 80_000)).toBe(10_000)
    expect(await msOf(Buffer.alloc(0))).toBe(0)
  })

  test('is never less than its bytes imply, whatever its headers say', async () => {
    const bytes = 24_000_044
    for (const lie of [{ bytesPerSecond: 0xffff_ffff }, { blockAlign: 400 }, { dataSize: 1000 }, { fact: 16 }])
      expect(await msOf(wavHead(750, lie), bytes)).toBeWithin(749_000, 751_000)
    // Lossless 16 bits at 44.1 kHz take at most as many bytes as uncompressed.
    expect(await msOf(flac(1, 44_100), 88_200_000)).toBeGreaterThan(999_000)
    expect(await msOf(mp3ThatCounts(1), 400_000)).toBeWithin(9_900, 10_100)
    expect(await msOf(mp4(1, 1000), 125_000_000)).toBeWithin(99_000, 101_000)
  })

  test('is not computed from the first frames if later ones are smaller', async () => {
    const ms = await msOf(Buffer.concat([mp3(5, 320), mp3(300, 32)]))
    expect(ms).toBeGreaterThan(250_000)
    // Variable bit rates as in music: the length in the header is believed.
    expect(await msOf(mp3(60, 192))).toBeWithin(59_500, 60_500)
  })

  test('is a whole number of milliseconds for any bytes, computed quickly', async () => {
    const heads = [wavHead(1), flac(1, 1), mp4(1, 1), mp3ThatCounts(1), afterId3(mp3(1, 128), 3), opus(1), Buffer.alloc(0)]
    const damaged = fc.tuple(fc.constantFrom(...heads), fc.nat(100), fc.uint8Array({ maxLength: 40 })).map(([head, at, junk]) => {
      return Buffer.concat([head.subarray(0, at), junk, head.subarray(at + junk.length)])
    })
    await fc.assert(
      fc.asyncProperty(damaged, fc.nat(20_000_000), async (head, byteLength) => {
        const ms = await msOf(head, byteLength)
        expect(Number.isInteger(ms) && ms >= 0 && ms <= 604_800_000).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('takes bounded time and memory for a file of headers only', async () => {
    let read = 0
    const counted = (head: Buffer, byteLength: number): ByteSource => {
      const file = fileOf(head, byteLength)
      return {
        byteLength,
        read(start, end) {
          read += end - start
          expect(end - start).toBeLessThanOrEqual(16 * 1024 * 1024)
          return file.read(start, end)
        },
      }
    }
    // Ten million empty chunks, a tag of 60 MB, and pages of one byte.
    const chunks = Buffer.concat([wavHead(0).subarray(0, 36), ...Array<Buffer>(200_000).fill(Buffer.from('junk\0\0\0\0', 'latin1'))])
    const page = Buffer.concat([Buffer.from('OggS\0\0', 'latin1'), Buffer.alloc(20), Buffer.from([1, 1, 0])])
    for (const hostile of [
      chunks,
      afterId3(Buffer.alloc(10), 60_000_000).subarray(0, 100),
      Buffer.concat(Array<Buffer>(200_000).fill(page)),
    ])
      expect(await readDurationMs(counted(hostile, 64_000_000))).toBeGreaterThan(0)
    expect(read).toBeLessThan(64_000_000 * 3)
  })

  test('is read beside tags, tables and images of many entries, which are passed over', async () => {
    const length = { units: 90_000, unitsPerSecond: 1000 }
    expect(await msOf(mp4Audio(length, mp4Table('stco', 3_900_000, 4), mp4Table('ctts', 1_900_000, 8)))).toBe(90_000)
    expect(await msOf(Buffer.concat([id3WithFrames(1_000_000), mp3(10, 128)]))).toBeGreaterThan(9_900)
    expect(await msOf(Buffer.concat([id3Tag(Buffer.alloc(99)), id3Tag(Buffer.alloc(9)), mp3(10, 128)]))).toBeWithin(9_900, 10_200)
    // Padding between tag and frames.
    expect(await msOf(Buffer.concat([id3Tag(Buffer.alloc(99)), Buffer.alloc(900), mp3(10, 128)]))).toBeWithin(9_900, 10_200)
    // What its bytes imply: a length that is not read would be ten times as long.
    const commented = Buffer.concat([flac(441_000, 44_100).fill(0, 4, 5), flacWithComments(2_000_000).subarray(42)])
    expect(await msOf(commented)).toBeLessThan(170_000)
  })

  const hostile: Readonly<Record<string, () => Buffer>> = {
    'a million frames of a tag': () => id3WithFrames(1_000_000),
    'one long text of a tag': () => id3Tag(Buffer.concat([Buffer.from('TXXX\0\0\0\x7f\0\0', 'latin1'), Buffer.alloc(15_000_000, 'a')])),
    'a hundred thousand tags': () => Buffer.alloc(1_000_000, id3Tag(Buffer.alloc(0))),
    'a tag that says that it is longer than the file': () => id3WithFrames(1_000_000).fill(0x7f, 6, 10),
    'a tag in a WAV file': () => wavWithId3(1_000_000),
    'chunks without content': () => wavOfChunks(1_000_000),
    'comments of a FLAC file': () => flacWithComments(2_000_000),
    'pages of one byte': () => oggOfPages(400_000),
    'boxes within boxes': () => mp4Nested(100_000),
    'boxes without content': () => mp4WithoutLengths(1_000_000),
    'a box that says that it has no length': () => Buffer.concat([mp4Audio({ units: 0, unitsPerSecond: 0 }), Buffer.from('\0\0\0\0free')]),
    'a box that is longer than the file': () => mp4Audio({ units: 1, unitsPerSecond: 1 }).fill(0x7f, 20, 24),
    'tables that are cut off': () => mp4Audio({ units: 1, unitsPerSecond: 1 }, mp4Table('stco', 3_900_000, 4)).subarray(0, 900_000),
  }
  test.each(Object.keys(hostile))('takes little time and few bytes of %s', async (name) => {
    const bytes = hostile[name]?.() ?? Buffer.alloc(0)
    let read = 0
    const cpu = process.cpuUsage()
    const durationMs = await readDurationMs({
      byteLength: bytes.length,
      async read(start, end) {
        read += end - start
        expect([start >= 0, end <= bytes.length, end - start <= 256 * 1024]).toEqual([true, true, true])
        return bytes.subarray(start, end)
      },
    })
    const { user, system } = process.cpuUsage(cpu)
    expect(durationMs).toBeGreaterThan(0)
    expect(read).toBeLessThan(bytes.length * 4 + 4_000_000)
    expect((user + system) / 1000).toBeLessThan(1_500)
  })
})
