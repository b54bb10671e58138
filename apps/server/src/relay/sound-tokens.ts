import { soundMsOf } from './sound-length.ts'

/** By how the name of the model begins; the first that fits. Models that no page names are reckoned like OpenAI's. */
const tokensPerSecond: ReadonlyArray<readonly [string, number]> = [
  // Google, "Audio understanding", a stored copy read 2026-11-21.
  ['gemini-', 32],
  // OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21.
  ['', 10],
]

/** What is decoded of sound to read its head. */
const headCharacters = 65_536

/** LLM tokens of a sound of a request, by its length. */
export function soundTokens(base64: string, model: string): number {
  const head = Buffer.from(base64.slice(0, headCharacters), 'base64')
  const rate = tokensPerSecond.find(([start]) => model.startsWith(start))?.[1] ?? 0
  return Math.ceil((soundMsOf(head, Math.floor((base64.length * 3) / 4)) * rate) / 1000)
}
