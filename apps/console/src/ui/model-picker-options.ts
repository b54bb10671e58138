import { splitNames } from '../lib/text.ts'

/** What the list offers. `added` is a name that nobody listed; choosing it adds it. */
export interface PickerOptions {
  readonly names: readonly string[]
  readonly added: string | null
}

interface OptionsOf {
  readonly items: readonly string[]
  readonly value: readonly string[]
  readonly query: string
  readonly allowsCustom: boolean
}

/** Everything that can be chosen: what is listed, and what was chosen although it is not. */
export function allNames(items: readonly string[], value: readonly string[]): readonly string[] {
  return [...new Set([...items, ...value])]
}

/** The names that hold every word of the query. The name that was typed stands first, listed or not, so that Enter means it. */
export function optionsFor({ items, value, query, allowsCustom }: OptionsOf): PickerOptions {
  const all = allNames(items, value)
  const wanted = query.trim()
  if (wanted === '') return { names: all, added: null }
  const words = wanted.toLowerCase().split(/\s+/)
  const matching = all.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
  const isListed = all.includes(wanted)
  const added = allowsCustom && !isListed ? wanted : null
  return { names: isListed || added !== null ? [wanted, ...matching.filter((name) => name !== wanted)] : matching, added }
}

/** The names of a typed or pasted text that may be added: none twice, and in a closed list only what is listed. */
export function namesToAdd(text: string, { items, value, allowsCustom }: Omit<OptionsOf, 'query'>): readonly string[] {
  return splitNames(text).filter((name) => !value.includes(name) && (allowsCustom || items.includes(name)))
}

/** How many chips stand before and after the place where the others are folded away. */
const folded = { before: 12, after: 4 } as const

/** The first are those that matter most (the first model is the one that is tested), the last are those that were just added. */
export function foldChips(value: readonly string[]): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const isShort = value.length <= folded.before + folded.after + 1
  return isShort ? { before: value, after: [] } : { before: value.slice(0, folded.before), after: value.slice(-folded.after) }
}
