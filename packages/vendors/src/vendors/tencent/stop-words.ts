import type { JsonObject } from '../../core/json.ts'

export function stopWordsIn({ stop }: JsonObject): readonly string[] {
  const listed = typeof stop === 'string' ? [stop] : Array.isArray(stop) ? stop : []
  return listed.filter((word): word is string => typeof word === 'string' && word !== '')
}

/** The vendor writes the stop word before it stops (cloud.tencent.com, "Hunyuan: ChatCompletions", `Stop`, read 2026-11-22), OpenAI does not. */
export function withoutStopWord(text: string, words: readonly string[] = []): string {
  const word = words.find((one) => text.endsWith(one))
  return word === undefined ? text : text.slice(0, -word.length)
}

/** Longest stop word that is looked for, in characters: the text is held back as far. */
const wordMax = 256

/** The end of a stream's text, which may be a stop word: it is held back until more text comes, or the end. */
export function createHeldBack(words: readonly string[] = []) {
  const longest = words.reduce((most, { length }) => (length <= wordMax ? Math.max(most, length) : most), 0)
  let held = ''
  return {
    /** The text that can be sent now. */
    add(text: string): string {
      const all = held + text
      const safeLength = Math.max(0, all.length - longest)
      held = all.slice(safeLength)
      return all.slice(0, safeLength)
    },
    /** The rest. @param isStopped the response may have ended by a stop word */
    end(isStopped: boolean): string {
      const rest = isStopped ? withoutStopWord(held, words) : held
      held = ''
      return rest
    },
  }
}
