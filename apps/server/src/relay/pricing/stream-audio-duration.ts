import type { AudioLength } from '../model/upstream-response.ts'
import { secondsInFrames } from './frames/audio-frames.ts'

/** Bytes at the beginning by which the rest is measured. */
const headMax = 65_536
/** Audio without a container: 16 bits at 24 kHz (OpenAI API reference, "Create speech", read 2026-11-29). */
const plainBytesPerSecond = 48_000
const plainTypes: ReadonlySet<string> = new Set(['audio/pcm', 'audio/l16'])

/** @param type the media type of the response */
export function createAudioLength(type: string): AudioLength {
  const head = Buffer.alloc(headMax)
  let headBytes = 0
  let total = 0
  return {
    add(bytes) {
      const part = bytes.subarray(0, headMax - headBytes)
      head.set(part, headBytes)
      headBytes += part.length
      total += bytes.length
    },
    ms() {
      const bytesPerSecond = plainTypes.has(type) ? plainBytesPerSecond : bytesPerSecondOf(head.subarray(0, headBytes))
      return bytesPerSecond === 0 ? 0 : Math.ceil((total * 1000) / bytesPerSecond)
    },
  }
}

const wavMark = Buffer.from('RIFF')
/** Where the head of a WAV has its bytes per second. */
const wavRateAt = 28

/** By the head of a WAV, or the frames at the beginning; 0: not known. */
function bytesPerSecondOf(head: Buffer): number {
  if (head.subarray(0, wavMark.length).equals(wavMark)) return head.length < wavRateAt + 4 ? 0 : head.readUInt32LE(wavRateAt)
  const seconds = secondsInFrames(head)
  return seconds === 0 ? 0 : head.length / seconds
}
