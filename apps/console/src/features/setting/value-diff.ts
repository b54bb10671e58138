import { readRatios } from './ratio-rows.ts'

/** A line of a comparison; `null` = it does not exist on that side. */
export interface DiffLine {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** The entries that differ between two JSON objects; `null` = one of the texts is none. */
export function ratioDiff(before: string, after: string): readonly DiffLine[] | null {
  const [old, next] = [readRatios(before), readRatios(after)]
  if (old === null || next === null) return null
  const names = [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name))
  const textOf = (value: number | undefined): string | null => (value === undefined ? null : String(value))
  return names.map((name) => ({ name, before: textOf(old.get(name)), after: textOf(next.get(name)) }))
}
