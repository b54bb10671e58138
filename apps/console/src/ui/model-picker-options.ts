import { splitNames } from '../lib/text.ts'

/** The list's options. `added` is a typed name that is not listed; choosing it adds it. */
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

/** All options: listed names, and chosen names that are not listed. */
function allNames(items: readonly string[], value: readonly string[]): readonly string[] {
  return [...new Set([...items, ...value])]
}

/** The names that contain every word of the query. The typed name is first, listed or not, so that Enter chooses it. */
export function optionsFor({ items, value, query, allowsCustom }: OptionsOf): PickerOptions {
  const all = allNames(items, value)
  const typedName = query.trim()
  if (typedName === '') return { names: all, added: null }
  const words = typedName.toLowerCase().split(/\s+/)
  const matching = all.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
  const isListed = all.includes(typedName)
  const added = allowsCustom && !isListed ? typedName : null
  return { names: isListed || added !== null ? [typedName, ...matching.filter((name) => name !== typedName)] : matching, added }
}

/** The names of a typed or pasted text that may be added: without duplicates, and only listed ones unless custom names are allowed. */
export function namesToAdd(text: string, { items, value, allowsCustom }: Omit<OptionsOf, 'query'>): readonly string[] {
  return splitNames(text).filter((name) => !value.includes(name) && (allowsCustom || items.includes(name)))
}

/** Number of chips before and after the folded ones. */
const folded = { before: 12, after: 4 } as const

/** Shows the first names, which matter most (tests use the first model), and the last ones, which were just added. */
export function foldChips(value: readonly string[]): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const isShort = value.length <= folded.before + folded.after + 1
  return isShort ? { before: value, after: [] } : { before: value.slice(0, folded.before), after: value.slice(-folded.after) }
}
