import type { ByteSource } from '../../model/form.ts'
import { amrSeconds } from './amr.ts'
import { flacSeconds } from './flac.ts'
import { matroskaSeconds } from './matroska.ts'
import { mp4AudioSeconds } from './mp4-audio.ts'
import { mpegSeconds } from './mpeg.ts'
import { oggSeconds } from './ogg.ts'
import { aiffSeconds, wavSeconds } from './sample-files.ts'

/** Larger files are not read as a whole. */
const fileBytesMax = 128 * 1024 * 1024
const chunkBytes = 64 * 1024

/**
 * Seconds of an audio file by its frames, which decoders go by whatever the headers say; 0: it is too large, or of a format whose length follows
 * from its bytes. Takes time in proportion to the file.
 */
export async function framesSeconds(audio: ByteSource): Promise<number> {
  if (audio.byteLength > fileBytesMax) return 0
  const bytes = Buffer.alloc(audio.byteLength)
  for (let start = 0; start < bytes.length; start += chunkBytes)
    bytes.set(await audio.read(start, Math.min(bytes.length, start + chunkBytes)), start)
  return secondsInFrames(bytes)
}

/** Seconds of audio in a file, or in its beginning, counted by its frames. */
export function secondsInFrames(bytes: Buffer): number {
  const format = formats.find(({ mark, at = 0 }) => bytes.subarray(at, at + mark.length).equals(mark))
  return (format?.seconds ?? mpegSeconds)(bytes)
}

interface Format {
  readonly mark: Buffer
  readonly at?: number
  readonly seconds: (bytes: Buffer) => number
}

/** What two readers make of the same bytes. */
function longestOf(one: Format['seconds'], other: Format['seconds']): Format['seconds'] {
  return (bytes) => Math.max(one(bytes), other(bytes))
}

/** By their first bytes. Others may have MPEG frames somewhere, which decoders find. */
const formats: readonly Format[] = [
  { mark: Buffer.from('OggS'), seconds: oggSeconds },
  { mark: Buffer.from('fLaC'), seconds: flacSeconds },
  { mark: Buffer.from('1a45dfa3', 'hex'), seconds: matroskaSeconds },
  { mark: Buffer.from('ftyp'), at: 4, seconds: mp4AudioSeconds },
  { mark: Buffer.from('#!AMR'), seconds: amrSeconds },
  ...['RIFF', 'RF64', 'BW64'].map((name) => ({ mark: Buffer.from(name), seconds: longestOf(wavSeconds, mpegSeconds) })),
  { mark: Buffer.from('FORM'), seconds: aiffSeconds },
]
