import { codeOf } from './code.ts'
import type { Source } from './sources.ts'

/** Fewer equal lines than this are coincidence. */
const runLength = 6

export interface Repetition {
  /** Duplicate lines as a share of all. */
  readonly share: number
  /** The start of each run of duplicate lines. */
  readonly places: readonly string[]
}

/** Finds runs of six or more lines of code that are also elsewhere. Imports and lines of brackets only do not count. */
export function findRepetition(sources: readonly Source[]): Repetition {
  const seen = new Map<string, string>()
  const places: string[] = []
  let repeated = 0
  let total = 0
  for (const source of sources) {
    const lines = meaningfulLines(source)
    total += lines.length
    let countedTo = 0
    for (let start = 0; start + runLength <= lines.length; start++) {
      const run = lines.slice(start, start + runLength)
      const key = run.map(({ text }) => text).join('\n')
      const place = `${source.path}:${run[0]?.line}`
      const before = seen.get(key)
      if (before === undefined) {
        seen.set(key, place)
        continue
      }
      if (start >= countedTo) places.push(`${place} repeats ${before}`)
      repeated += start + runLength - Math.max(start, countedTo)
      countedTo = start + runLength
    }
  }
  return { share: total === 0 ? 0 : repeated / total, places }
}

function meaningfulLines(source: Source): readonly { readonly line: number; readonly text: string }[] {
  const written = source.text.split('\n')
  return codeOf(source)
    .split('\n')
    .map((code, index) => ({ line: index + 1, code, text: (written[index] ?? '').trim() }))
    .filter(({ code }) => /\w/.test(code) && !/^\s*(?:import|export \*|\} from)\b/.test(code))
}
