import { type Sound, soundMsOf } from './sound-length.ts'

/** By prefix of the model name; the first match applies. Undocumented models use OpenAI's rule. */
const tokensPerSecond: ReadonlyArray<readonly [string, number]> = [
  // Google, "Audio understanding", a stored copy read 2026-11-21.
  ['gemini-', 32],
  // OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21.
  ['', 10],
]

/** Audio parts of one request that are decoded; further ones are estimated by their size, as speech. */
const readMax = 64
/** Base64 characters of a second of speech at 64 kbit/s. */
const charactersPerSecond = 10_667

/** LLM tokens of the audio in a request, by its length. Each string is base64, as in the JSON body. */
export async function soundTokens(sounds: readonly string[], model: string): Promise<number> {
  const rate = tokensPerSecond.find(([start]) => model.startsWith(start))?.[1] ?? 0
  let tokens = 0
  for (const [index, sound] of sounds.entries()) {
    const ms = index < readMax ? await soundMsOf(decoded(sound)) : (sound.length / charactersPerSecond) * 1000
    tokens += Math.ceil((ms * rate) / 1000)
  }
  return tokens
}

/** Decodes base64 as it is read: four characters are three bytes. */
function decoded(base64: string): Sound {
  return {
    byteLength: Math.floor((base64.length * 3) / 4),
    async read(start, end) {
      const first = Math.floor(start / 3)
      const bytes = Buffer.from(base64.slice(first * 4, Math.ceil(end / 3) * 4), 'base64')
      return bytes.subarray(start - first * 3, end - first * 3)
    },
  }
}
