import type { Token } from 'marked'

/** Longest text that is read as Markdown. */
const textMax = 100_000
/** Longest time for it: some texts take time that grows as the square of their length, and a growing text is read again with each piece. */
const readMsMax = 1_000

/** A run of one mark that is as long as no text for readers has. */
const markRun = /([*_~`[\]<>!])\1{499}/

/** Reads a growing text as blocks of Markdown; `null` = it is shown as it is, because reading it fails or takes too long. */
export function createBlockReader(lex: (text: string) => readonly Token[]): (text: string) => readonly Token[] | null {
  let isSlow = false
  return (text) => {
    if (isSlow || text.length > textMax || markRun.test(text)) return null
    const startMs = performance.now()
    try {
      return lex(text)
    } catch {
      return null
    } finally {
      isSlow = performance.now() - startMs > readMsMax
    }
  }
}
