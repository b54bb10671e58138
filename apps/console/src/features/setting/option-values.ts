import { type OptionKey, optionRow, withoutTrailingSlashes } from '@sluice/contract'
import { jsonFault } from '../../ui/json-fault.ts'

/** What is typed for an option; `null` = the stored secret is to be removed. */
export type Draft = string | null

/** Unsaved values by option. */
export type Drafts = ReadonlyMap<OptionKey, Draft>

/** What was saved by option: the draft that was sent, and what the field showed before it was typed. */
export type SavedDrafts = ReadonlyMap<OptionKey, { readonly draft: Draft; readonly before: string }>

/** What can be wrong with a typed value before the server sees it. */
export type OptionProblem = 'long' | 'json' | 'ratios' | 'number' | 'invalid'

function isJson(key: OptionKey): boolean {
  const { control } = optionRow(key)
  return control === 'ratios' || control === 'rules'
}

/** The stored value as its field shows it: JSON on many lines, and an empty object as nothing. */
export function displayValue(key: OptionKey, stored: string): string {
  if (!isJson(key)) return stored
  const text = stored.trim()
  if (text === '' || jsonFault(text) !== null) return text
  const parsed: unknown = JSON.parse(text)
  const pretty = JSON.stringify(parsed, null, 2)
  return pretty === '{}' ? '' : pretty
}

/** The value that is sent for what was typed. */
export function inputValue(key: OptionKey, draft: Draft): string {
  const { control, cutsSlash } = optionRow(key)
  const text = draft ?? ''
  if (cutsSlash) return withoutTrailingSlashes(text.trim())
  if (isJson(key)) return text.trim() === '' ? '{}' : text.trim()
  return control === 'number' ? text.trim() : text
}

/** Whether a draft would change the stored value. Secrets are never shown, so any text changes them. */
export function isChanged(key: OptionKey, stored: string, draft: Draft | undefined): boolean {
  if (draft === undefined) return false
  const { secret, skipsEmpty } = optionRow(key)
  if (secret) return draft !== ''
  if (skipsEmpty && draft?.trim() === '') return false
  const next = inputValue(key, draft)
  return next !== stored && !(isJson(key) && isSameJson(next, stored))
}

/** Whether two texts are the same JSON in the same order, whatever their blanks are. */
function isSameJson(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => (text.trim() === '' ? '{}' : text))
  if (first === undefined || second === undefined || jsonFault(first) !== null || jsonFault(second) !== null) return false
  return JSON.stringify(JSON.parse(first)) === JSON.stringify(JSON.parse(second))
}

/** Checks a typed value as the server will; `null` = it is valid. */
export function problemOf(key: OptionKey, draft: Draft): OptionProblem | null {
  const { parse, secret, control, lengthMax } = optionRow(key)
  const value = inputValue(key, draft)
  if (value.length > lengthMax) return 'long'
  if (secret) return null
  if (isJson(key) && jsonFault(value) !== null) return 'json'
  if (parse(value) !== null) return null
  return control === 'ratios' ? 'ratios' : control === 'number' ? 'number' : 'invalid'
}

/** The drafts after a save: what was typed since stays, also the value from before, which was no draft until then. */
export function withoutSaved(drafts: Drafts, saved: SavedDrafts): Drafts {
  const rest = new Map(drafts)
  for (const [key, { draft, before }] of saved) {
    if (drafts.get(key) === draft) rest.delete(key)
    else if (!drafts.has(key) && !optionRow(key).secret) rest.set(key, before)
  }
  return rest
}
