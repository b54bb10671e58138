import type { OptionKey } from '@sluice/contract'
import { useCallback, useMemo, useState } from 'react'
import { type Draft, type Drafts, type SavedDrafts, withoutSaved } from './option-values.ts'

/** What was typed in all parts of the settings, and what is wrong with it. It outlives a change of the tab. */
export interface OptionForm {
  readonly drafts: Drafts
  /** Texts beside the fields. */
  readonly errors: ReadonlyMap<OptionKey, string>
  /** `undefined` = as stored. Removes the error of the field. */
  readonly setDraft: (key: OptionKey, draft: Draft | undefined) => void
  readonly setErrors: (errors: ReadonlyMap<OptionKey, string | null>) => void
  readonly discard: (keys: readonly OptionKey[]) => void
  /** Gives up what was saved; what was typed since stays. */
  readonly takeSaved: (saved: SavedDrafts) => void
}

/** What each tab of the settings gets. */
export interface TabProps {
  readonly form: OptionForm
}

export function useOptionForm(): OptionForm {
  const [drafts, setDrafts] = useState<Drafts>(() => new Map())
  const [errors, keepErrors] = useState<ReadonlyMap<OptionKey, string>>(() => new Map())
  const setErrors = useCallback((changed: ReadonlyMap<OptionKey, string | null>) => {
    keepErrors((old) => new Map([...old, ...changed].filter((entry): entry is [OptionKey, string] => entry[1] !== null)))
  }, [])
  const setDraft = useCallback((key: OptionKey, draft: Draft | undefined) => {
    setDrafts((old) => withEntry(old, key, draft))
    keepErrors((old) => withEntry(old, key, undefined))
  }, [])
  const discard = useCallback((keys: readonly OptionKey[]) => {
    setDrafts((old) => new Map([...old].filter(([key]) => !keys.includes(key))))
    keepErrors((old) => new Map([...old].filter(([key]) => !keys.includes(key))))
  }, [])
  const takeSaved = useCallback((saved: SavedDrafts) => setDrafts((old) => withoutSaved(old, saved)), [])
  return useMemo(
    () => ({ drafts, errors, setDraft, setErrors, discard, takeSaved }),
    [drafts, errors, setDraft, setErrors, discard, takeSaved],
  )
}

/** A copy of the map with the entry set, or removed if `undefined`. Returns the given map if nothing changes, so that nothing renders again. */
function withEntry<Value>(map: ReadonlyMap<OptionKey, Value>, key: OptionKey, value: Value | undefined): ReadonlyMap<OptionKey, Value> {
  if (map.get(key) === value && map.has(key) === (value !== undefined)) return map
  const next = new Map(map)
  if (value === undefined) next.delete(key)
  else next.set(key, value)
  return next
}
