import { readRatios } from './ratio-rows.ts'

/** A line of a comparison; `null` = it does not exist on that side. */
export interface DiffLine {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** Most lines that are shown of one option. */
export const diffLinesMax = 40

/** The entries that differ between two JSON objects; `null` = one of the texts is none. */
export function ratioDiff(before: string, after: string): readonly DiffLine[] | null {
  const [old, next] = [readRatios(before), readRatios(after)]
  if (old === null || next === null) return null
  const names = [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name))
  const textOf = (value: number | undefined): string | null => (value === undefined ? null : String(value))
  return names.map((name) => ({ name, before: textOf(old.get(name)), after: textOf(next.get(name)) }))
}

/** The part in which two texts differ, without the lines that both begin and end with. */
export function textDiff(before: string, after: string): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const [old, next] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < Math.min(old.length, next.length) && old[head] === next[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  return { before: old.slice(head, old.length - tail), after: next.slice(head, next.length - tail) }
}
