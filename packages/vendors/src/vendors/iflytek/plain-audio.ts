/** Audio as the vendor takes it: one channel, 8,000 or 16,000 samples a second. */
export interface PlainAudio {
  /** `raw`: samples of 16 bits; `lame`: MP3. */
  readonly encoding: 'raw' | 'lame'
  readonly samplesPerSecond: number
  /** Without a file's head. */
  readonly bytes: Uint8Array
  readonly seconds: number
}

const rates: ReadonlySet<number> = new Set([8_000, 16_000])

/** `null`: it is neither a WAV file nor an MP3 file of one channel and of these samples. */
export function plainAudioOf(file: Uint8Array): PlainAudio | null {
  return textAt(file, 0, 4) === 'RIFF' && textAt(file, 8, 4) === 'WAVE' ? audioOfWav(file) : audioOfMp3(file)
}

const textAt = (bytes: Uint8Array, at: number, length: number): string => String.fromCharCode(...bytes.subarray(at, at + length))

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView => new DataView(buffer, byteOffset, byteLength)

/** Its `fmt ` part says what the samples in its `data` part are (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). */
function audioOfWav(file: Uint8Array): PlainAudio | null {
  const view = viewOf(file)
  let samplesPerSecond = 0
  for (let at = 12; at + 8 <= file.length; ) {
    const name = textAt(file, at, 4)
    const begin = at + 8
    const length = view.getUint32(at + 4, true)
    if (name === 'fmt ' && begin + 16 <= file.length) {
      const [format, channels, bits] = [view.getUint16(begin, true), view.getUint16(begin + 2, true), view.getUint16(begin + 14, true)]
      samplesPerSecond = view.getUint32(begin + 4, true)
      // 1: plain samples; 0xfffe: the same with more members, which files of one channel need not have but may.
      if ((format !== 1 && format !== 0xfffe) || channels !== 1 || bits !== 16 || !rates.has(samplesPerSecond)) return null
    }
    if (name === 'data' && samplesPerSecond > 0) {
      // A file that was written as a stream has no length here.
      const bytes = file.subarray(begin, Math.min(file.length, begin + length))
      return { encoding: 'raw', samplesPerSecond, bytes, seconds: bytes.length / 2 / samplesPerSecond }
    }
    // Parts begin at even places.
    at = begin + length + (length % 2)
  }
  return null
}

/** Kilobits a second of a frame of MPEG-2 and 2.5, layer III, by its index (ISO/IEC 13818-3, 2.4.2.3). */
const kilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const

/** The first frame stands for all of them. Files of 8,000 and 16,000 samples a second are MPEG-2.5 and MPEG-2. */
function audioOfMp3(file: Uint8Array): PlainAudio | null {
  const bytes = file.subarray(lengthOfTags(file))
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  const isLayer3 = first === 0xff && (second & 0xe6) === 0xe2
  const version = (second >> 3) & 3
  // The third of the three rates of each version.
  const samplesPerSecond = ((third >> 2) & 3) !== 2 ? 0 : version === 2 ? 16_000 : version === 0 ? 8_000 : 0
  const rate = (kilobits[third >> 4] ?? 0) * 1_000
  const isOneChannel = fourth >> 6 === 3
  if (!isLayer3 || !isOneChannel || samplesPerSecond === 0 || rate === 0) return null
  return { encoding: 'lame', samplesPerSecond, bytes, seconds: (bytes.length * 8) / rate }
}

/** Bytes of what is written before the audio (id3.org, "ID3 tag version 2.4.0", 3.1): its length has seven bits in each byte. */
function lengthOfTags(file: Uint8Array): number {
  if (textAt(file, 0, 3) !== 'ID3' || file.length < 10) return 0
  return 10 + file.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}
