import { type OptionKey, option, optionRow } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CallError, call, explain, toastError } from '../../lib/api.ts'
import { captureInFlight, markChanged, refetch } from '../../lib/reads.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { numberText } from './number-text.ts'
import { type Draft, displayValue, inputValue, isChanged, problemOf } from './option-values.ts'
import type { OptionForm } from './use-option-form.ts'
import { type StoredOptions, toStored } from './use-options.ts'

/** How one option was saved: it was, or why not. */
type Outcome = { readonly isSaved: true; readonly keptBack: readonly string[] } | { readonly isSaved: false; readonly why: string }

interface SaveOptions {
  /** The option that is being saved; `null` = none. */
  readonly savingKey: OptionKey | null
  /** Saves the changed options among these, one call each. @returns the options that were not saved */
  readonly save: (keys: readonly OptionKey[]) => Promise<readonly OptionKey[]>
  /** Values of switches that are being saved or wait for it. */
  readonly pending: ReadonlyMap<OptionKey, string>
  /** Saves one option with a value that was not typed: a switch. Presses while another is saved follow in their order. */
  readonly saveOne: (key: OptionKey, value: string) => Promise<void>
}

export function useSaveOptions(form: OptionForm, stored: StoredOptions): SaveOptions {
  const t = useT()
  const client = useQueryClient()
  const [savingKey, setSavingKey] = useState<OptionKey | null>(null)
  const isSaving = useRef(false)
  const [pending, setPending] = useState<ReadonlyMap<OptionKey, string>>(() => new Map())
  const last = useRef<Promise<unknown>>(Promise.resolve())
  async function send(entries: ReadonlyMap<OptionKey, Draft>): Promise<readonly OptionKey[]> {
    const { errors, keptBack } = await saveAll(t, entries, setSavingKey)
    const inFlight = captureInFlight(client)
    // The fields show what is stored when the typed values are given up.
    await refetch(client, option.list)
    markChanged(client, option.update, inFlight)
    setSavingKey(null)
    const refused = [...errors].flatMap(([key, error]) => (error === null ? [] : [key]))
    form.setErrors(errors)
    if (refused.length === 0) showToast('success', t('setting.saved'))
    if (keptBack.size > 0) showToast('warning', `${[...keptBack].join(', ')}${t('word.colon')}${t('setting.secret.keptBack')}`)
    return refused
  }

  return {
    savingKey,
    pending,
    async save(keys) {
      // A press that comes before the page shows the first one.
      if (isSaving.current) return []
      const changed = new Map(keys.flatMap((key) => changedEntry(key, form, stored)))
      const problems = new Map([...changed].flatMap(([key, draft]) => problemEntry(t, key, draft)))
      form.setErrors(problems)
      if (problems.size > 0) return [...problems.keys()]
      if (changed.size === 0) return []
      isSaving.current = true
      const refused = await send(changed).finally(() => {
        isSaving.current = false
      })
      const saved = [...changed].filter(([key]) => !refused.includes(key))
      form.takeSaved(new Map(saved.map(([key, draft]) => [key, { draft, before: displayValue(key, stored.get(key) ?? '') }])))
      return refused
    },
    async saveOne(key, value) {
      setPending((old) => new Map(old).set(key, value))
      const run = () => send(new Map([[key, value]]))
      const saving = last.current.then(run, run)
      last.current = saving
      await saving
      // It may have been pressed again.
      setPending((old) => (old.get(key) === value ? without(old, key) : old))
    },
  }
}

function without<Value>(map: ReadonlyMap<OptionKey, Value>, key: OptionKey): ReadonlyMap<OptionKey, Value> {
  return new Map([...map].filter(([each]) => each !== key))
}

interface AllOutcomes {
  /** Why an option was not saved; `null` = it was. */
  readonly errors: ReadonlyMap<OptionKey, string | null>
  readonly keptBack: ReadonlySet<string>
}

/** One call for each option, one after another. */
async function saveAll(t: Translate, entries: ReadonlyMap<OptionKey, Draft>, begun: (key: OptionKey) => void): Promise<AllOutcomes> {
  const errors = new Map<OptionKey, string | null>()
  const keptBack = new Set<string>()
  for (const [key, draft] of entries) {
    begun(key)
    const outcome = await saveDraft(t, key, draft)
    errors.set(key, outcome.isSaved ? null : outcome.why)
    // A secret that is entered in the same step is for the new server.
    keptBack.delete(key)
    if (outcome.isSaved) for (const secret of outcome.keptBack) keptBack.add(secret)
  }
  return { errors, keptBack }
}

function changedEntry(key: OptionKey, { drafts }: OptionForm, stored: StoredOptions): readonly (readonly [OptionKey, Draft])[] {
  const draft = drafts.get(key)
  return draft !== undefined && isChanged(key, stored.get(key) ?? '', draft) ? [[key, draft]] : []
}

function problemEntry(t: Translate, key: OptionKey, draft: Draft): readonly (readonly [OptionKey, string])[] {
  const problem = problemOf(key, draft)
  if (problem === null) return []
  return [
    [
      key,
      problem === 'number' ? t(...numberText(key)) : t(`setting.${problem}`, { name: t(`option.${key}`), limit: optionRow(key).lengthMax }),
    ],
  ]
}

async function saveDraft(t: Translate, key: OptionKey, draft: Draft): Promise<Outcome> {
  const value = inputValue(key, draft)
  try {
    const { kept_back } = await call(option.update, { key, value, ...(draft === null && { clear: true }) })
    return { isSaved: true, keptBack: kept_back }
  } catch (error) {
    const isLost = error instanceof CallError && error.failure.kind === 'network'
    const outcome: Outcome = isLost ? await outcomeOfLostCall(t, key, value) : { isSaved: false, why: explain(error)?.text ?? '' }
    if (!outcome.isSaved) toastError(error)
    return outcome
  }
}

/** After a lost connection the server may or may not have saved the value, so it is queried. */
async function outcomeOfLostCall(t: Translate, key: OptionKey, value: string): Promise<Outcome> {
  if (optionRow(key).secret) return { isSaved: false, why: t('setting.lost.unknown') }
  try {
    const isSaved = toStored(await call(option.list, {})).get(key) === value
    if (isSaved) showToast('info', t('setting.lost.saved'))
    return isSaved ? { isSaved, keptBack: [] } : { isSaved, why: t('setting.lost.unsaved') }
  } catch {
    return { isSaved: false, why: t('setting.lost.unknown') }
  }
}
