import type { ByteSource } from '../model/form.ts'
import { estimateDurationMs } from './estimate-duration.ts'
import type { MediaMeter } from './media-meter.ts'

/** By prefix of the model name; the first match applies. Undocumented models use OpenAI's rule. */
const tokensPerSecond: ReadonlyArray<readonly [string, number]> = [
  // Google, "Audio understanding", a stored copy read 2026-11-21.
  ['gemini-', 32],
  // Alibaba Cloud Model Studio, "Qwen-Omni", a stored copy read 2026-11-29: 25 of the first models, fewer of later ones.
  ['qwen', 25],
  // OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21.
  ['', 10],
]

/** Milliseconds of audio that are so many tokens, by the rule of most models. */
export const msOfAudioTokens = (tokens: number): number => tokens * 100

/** Audio parts of one request that are read; further ones are estimated by their size, as speech. */
const readMax = 64

/**
 * LLM tokens of the audio in a request, by its length. Each string is base64, as in the JSON body. Once a part could not be read in time, the
 * others are estimated, too, so that one request does not keep the meter from others.
 */
export async function audioTokens(audio: readonly string[], model: string, meter: MediaMeter): Promise<number> {
  const rate = tokensPerSecond.find(([start]) => model.startsWith(start))?.[1] ?? 0
  let left = readMax
  let tokens = 0
  for (const base64 of audio) {
    const source = decoded(base64)
    const durationMs = left > 0 ? await meter.audioMs(source) : null
    left = durationMs === null ? 0 : left - 1
    tokens += Math.ceil(((durationMs ?? estimateDurationMs(source.byteLength)) * rate) / 1000)
  }
  return tokens
}

/** Decodes base64 as it is read: four characters are three bytes. */
function decoded(base64: string): ByteSource {
  return {
    byteLength: Math.floor((base64.length * 3) / 4),
    async read(start, end) {
      const first = Math.floor(start / 3)
      const bytes = Buffer.from(base64.slice(first * 4, Math.ceil(end / 3) * 4), 'base64')
      return bytes.subarray(start - first * 3, end - first * 3)
    },
  }
}
