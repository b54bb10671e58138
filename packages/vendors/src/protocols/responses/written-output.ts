import { charactersMax, partsMax } from '../shared/response-parts.ts'

/** What has been written of a text. */
export interface TextSoFar {
  text: string
}

/**
 * What is written of the texts of a response. Some models and servers send texts and arguments in deltas, some whole at the end of an item or of the
 * response, and most do both (earendil-works/pi #2745, read 2026-11-30): each text is written once, whichever event brings it.
 */
export class WrittenOutput {
  #texts = 0
  #characters = 0

  begin(): TextSoFar {
    this.#texts += 1
    return { text: '' }
  }

  grow(written: TextSoFar, text: string): void {
    this.#characters += text.length
    if (!this.isFull) written.text += text
  }

  /** What a whole text has beyond what was written of it, which counts as written from here on. Empty: nothing, or it begins otherwise. */
  rest(written: TextSoFar, whole: string): string {
    const before = written.text
    if (this.isFull || whole.length <= before.length || !whole.startsWith(before)) return ''
    const rest = whole.slice(before.length)
    this.grow(written, rest)
    return rest
  }

  /** More came than any model writes: what comes whole can no longer be compared with it, and is left out. */
  get isFull(): boolean {
    return this.#characters > charactersMax || this.#texts > partsMax
  }
}
