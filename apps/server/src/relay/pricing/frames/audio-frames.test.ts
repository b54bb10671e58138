import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  aacFile,
  amrFile,
  codedAiff,
  codedWav,
  flacFile,
  mp3File,
  mp3InWav,
  oggFlac,
  oggOpus,
  oggSpeex,
  oggVorbis,
  vorbisHead,
  webmAudio,
  webmOpus,
} from '../../../../test/audio-files.ts'
import { mp4Audio, mp4Opus, mp4Samples } from '../../../../test/hostile-audio.ts'
import { readDurationMs } from '../audio-duration.ts'

const secondsOf = async (bytes: Buffer): Promise<number> =>
  (await readDurationMs({ byteLength: bytes.length, read: async (start, end) => bytes.subarray(start, end) })) / 1000

const vorbis = { codec: 'A_VORBIS', packet: Buffer.alloc(20), about: Buffer.concat([Buffer.from([2, 30, 20]), vorbisHead()]) }
// 16 kHz, as a float.
const aac = { codec: 'A_AAC', packet: Buffer.alloc(20), rate: '467a0000' }
const slowAac = { codec: 'A_AAC', packet: Buffer.alloc(20), about: Buffer.from([0x14, 0x08]) }
const flac = { codec: 'A_FLAC', packet: Buffer.concat([flacFile(1, 1).subarray(42, 52), Buffer.alloc(10)]), rate: '467a0000' }
const short = { units: 100, unitsPerSecond: 1_000 }

describe('the length of audio is that of its frames, if its headers say less', () => {
  /** A file of a minute that says so, and one that says a second or nothing. */
  const files: readonly [string, Buffer | null, Buffer][] = [
    ['Opus', oggOpus(1_000, 60), oggOpus(1_000, 1)],
    ['FLAC', flacFile(234, 960_000), flacFile(234, 16_000)],
    ['MP3', mp3File(1_666, 1_667), mp3File(1_666, 28)],
    ['MP3 in WAV', mp3InWav(1_666, 1_000), mp3InWav(1_666, 4_000_000_000)],
    ['AAC', null, aacFile(937)],
    ['AMR', null, amrFile(3_000)],
    ['WebM', webmOpus(1_000, 60, 60), webmOpus(1_000, 1, 0)],
    ['MP4', mp4Audio({ units: 60_000, unitsPerSecond: 1000 }), mp4Audio({ units: 1_000, unitsPerSecond: 1000 }, mp4Samples(600, 100))],
    ['Speex in Ogg', oggSpeex(3_000, 60), oggSpeex(3_000, 0.1)],
    ['FLAC in Ogg', oggFlac(234, 60), oggFlac(234, 0.1)],
    ['WebM with Vorbis, of which a third counts', null, webmAudio(vorbis, { packets: 7_752, declaredSeconds: 0.1, blockMs: 0 })],
    ['WebM with AAC', null, webmAudio(aac, { packets: 938, declaredSeconds: 0.1, blockMs: 0 })],
    ['WebM with AAC whose decoder knows the rate', null, webmAudio(slowAac, { packets: 938, declaredSeconds: 0.1, blockMs: 0 })],
    ['Matroska with MP3', null, webmAudio({ ...aac, codec: 'A_MPEG/L3' }, { packets: 833, declaredSeconds: 0.1, blockMs: 0 })],
    ['Matroska with FLAC', null, webmAudio(flac, { packets: 234, declaredSeconds: 0.1, blockMs: 0 })],
    ['MP4 with Opus', null, mp4Opus(1_000)],
    ['MP4 with ALAC', null, mp4Audio({ ...short, type: 'alac' }, mp4Samples(703, 1))],
    ['MP4 with AMR', null, mp4Audio({ ...short, type: 'samr' }, mp4Samples(3_000, 1))],
    ['MP4 whose times are short', null, mp4Audio({ units: 1_000, unitsPerSecond: 1000 }, mp4Samples(2_813, 1))],
  ]
  test.each(files)('%s', async (_, honest, hostile) => {
    if (honest !== null) expect(await secondsOf(honest)).toBeWithin(59, 61.5)
    expect(await secondsOf(hostile)).toBeWithin(59, 61.5)
  })

  const codedFiles: readonly [string, Buffer, number][] = [
    ['PCM in WAV', codedWav({ tag: 1, bits: 16 }), 30],
    ['extensible PCM', codedWav({ tag: 0xfffe, bits: 16 }), 30],
    ['µ-law', codedWav({ tag: 7, bits: 32 }), 60],
    ['ADPCM of Microsoft that claims 32 bits', codedWav({ tag: 2, bits: 32 }), 120],
    ['ADPCM of IMA', codedWav({ tag: 0x11, bits: 4 }), 120],
    ['GSM', codedWav({ tag: 0x31, bits: 0 }), 295],
    ['an unknown coding', codedWav({ tag: 0x999, bits: 32 }), 480],
    ['AIFF', codedAiff({ bits: 16 }), 30],
    ['AIFF-C', codedAiff({ type: 'NONE', bits: 16 }), 30],
    ['AIFF-C with bytes in another order', codedAiff({ type: 'sowt', bits: 32 }), 30],
    ['AIFF-C with IMA', codedAiff({ type: 'ima4', bits: 16 }), 113],
    ['AIFF-C with MACE', codedAiff({ type: 'MAC6', bits: 16 }), 360],
    ['AIFF-C with an unknown coding', codedAiff({ type: 'QDMC', bits: 32 }), 480],
  ]
  test.each(codedFiles)('%s, by its coding and its bytes', async (_, bytes, seconds) => {
    expect(await secondsOf(bytes)).toBeWithin(seconds - 1.5, seconds + 1)
  })

  test('Vorbis, at least to a third', async () => {
    expect(await secondsOf(oggVorbis(2_584, 1))).toBeWithin(19, 21)
  })

  test('WebM without a length in its header, by the times of its blocks', async () => {
    expect(await secondsOf(webmOpus(60, 0, 1_000))).toBeWithin(59, 61)
  })
})

test('frames of any bytes are read in bounded time', async () => {
  const heads = [
    oggOpus(3, 1),
    oggVorbis(3, 1),
    oggSpeex(3, 1),
    oggFlac(3, 1),
    mp4Opus(4),
    webmAudio(vorbis, { packets: 3, declaredSeconds: 1, blockMs: 1 }),
    webmAudio(slowAac, { packets: 3, declaredSeconds: 1, blockMs: 1 }),
    codedAiff({ type: 'ima4', bits: 4 }, 100),
    codedWav({ tag: 2, bits: 4 }, 100),
    flacFile(3, 9),
    mp3File(3, 3),
    aacFile(3),
    amrFile(3),
    webmOpus(3, 1, 1),
  ]
  const damaged = fc
    .tuple(fc.constantFrom(...heads), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 20 }))
    .map(([head, changes]) => {
      const bytes = Buffer.from(head)
      for (const [at, byte] of changes) if (at < bytes.length) bytes.writeUInt8(byte, at)
      return bytes
    })
  const seconds = async (bytes: Buffer): Promise<boolean> => (await secondsOf(bytes)) >= 0
  await fc.assert(fc.asyncProperty(damaged, seconds), { seed: 20_261_129, numRuns: 500 })
})

const parts: readonly [string, Buffer, Buffer][] = [
  ['pages of one byte', Buffer.from('OggS'), Buffer.from('OggS\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x01\x18', 'latin1')],
  ['frames of FLAC', flacFile(1, 1).subarray(0, 42), Buffer.from([0xff, 0xf8])],
  ['bits', Buffer.from([0xff]), Buffer.from([0xff])],
  ['frames of MP3', Buffer.alloc(0), mp3File(1, 1).subarray(144)],
  ['elements without content', webmOpus(1, 1, 1), Buffer.from([0xa3, 0x80])],
  ['clusters within clusters', webmOpus(1, 1, 1), Buffer.from('1f43b67501ffffffffffffff', 'hex')],
  ['frames of AMR', Buffer.from('#!AMR\n'), Buffer.from([0xf8])],
  ['boxes', mp4Audio({ units: 1, unitsPerSecond: 1 }), Buffer.from('\0\0\0\x08moof', 'latin1')],
]
test.each(parts)('ten megabytes of %s are read within two seconds', async (_, head, part) => {
  const bytes = Buffer.concat([head, Buffer.alloc(10_000_000, part)])
  const started = process.cpuUsage()
  expect(await secondsOf(bytes)).toBeGreaterThan(0)
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000)
})
