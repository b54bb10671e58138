import { account } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type FieldValues, type UseFormReturn, useFormContext } from 'react-hook-form'
import { changedOf, draftKey, membersOf, readDraft, removeOldDrafts, writeDraft } from './draft.ts'
import { useSession } from './session.ts'
import { storage } from './storage.ts'
import { useRead } from './use-call.ts'

/** Entries are stored after a pause in typing, and when the page is left. */
const pauseMs = 300

interface DraftOfForm {
  /** When the restored entries were typed; `null` = none were restored. */
  readonly restoredMs: number | null
  /** Forgets the draft and what was typed. */
  readonly discard: () => void
  /** Forgets the draft; nothing is stored any more. */
  readonly forget: () => void
}

/** What a save of the form compares with the stored row. */
export interface ComparedRow {
  /** Members of the row as they were shown when the fields were changed. */
  readonly baseline: FieldValues
  /** Gets those of restored entries, which were typed before the row was read again; none once the entries are discarded. */
  readonly onDraft: (baseline: FieldValues) => void
}

/** Keeps the unsaved entries of the form around this component for the account that typed them, and restores them. */
export function useDraft(compared: ComparedRow | null): DraftOfForm {
  // Without a form around it, the hook does nothing.
  const form = useFormContext() as UseFormReturn | null
  const { isSignedIn } = useSession()
  const { data: self } = useRead(account.self, { input: {}, isEnabled: isSignedIn, freshMs: 60_000, isSilent: true })
  const router = useRouter()
  // The page that the form belongs to, also while the next one is loaded.
  const [page] = useState(router.state.location.pathname)
  const key = self === undefined ? null : draftKey(self.id, page)
  const [restoredMs, setRestoredMs] = useState<number | null>(null)
  const isForgotten = useRef(false)
  const latest = useRef({ form, compared })
  useEffect(() => {
    latest.current = { form, compared }
  })

  const store = useCallback(() => {
    const { form: current, compared } = latest.current
    if (key === null || current === null || isForgotten.current) return
    const values = changedOf(current.getValues(), defaultsOf(current))
    writeDraft(storage, key, { atMs: Date.now(), values, baseline: compared?.baseline ?? {} })
  }, [key])

  const subscribe = form?.subscribe
  useEffect(() => {
    const { form: current, compared } = latest.current
    if (key === null || current === null || subscribe === undefined) return
    removeOldDrafts(storage, Date.now())
    const restored = restore(current, key)
    if (restored !== null) {
      setRestoredMs(restored.atMs)
      compared?.onDraft(restored.baseline)
    }
    // What was typed before the account was known is stored too.
    let timer = setTimeout(store, pauseMs)
    const unsubscribe = subscribe({
      formState: { values: true, isDirty: true },
      callback: () => {
        clearTimeout(timer)
        timer = setTimeout(store, pauseMs)
      },
    })
    addEventListener('pagehide', store)
    return () => {
      clearTimeout(timer)
      unsubscribe()
      removeEventListener('pagehide', store)
      store()
    }
  }, [key, store, subscribe])

  const forget = () => {
    isForgotten.current = true
    if (key !== null) storage.remove(key)
  }
  const discard = () => {
    form?.reset()
    compared?.onDraft({})
    setRestoredMs(null)
    if (key !== null) storage.remove(key)
  }
  return { restoredMs, discard, forget }
}

function defaultsOf({ formState }: UseFormReturn): FieldValues {
  return formState.defaultValues ?? {}
}

/** Puts the stored entries into their fields, except where something was typed already. @returns what was restored; `null` = nothing */
function restore(form: UseFormReturn, key: ReturnType<typeof draftKey>): { readonly atMs: number; readonly baseline: FieldValues } | null {
  const draft = readDraft(storage, key, Date.now())
  if (draft === null) return null
  const values = form.getValues()
  const typed = changedOf(values, defaultsOf(form))
  const entries = Object.entries(changedOf(draft.values, values)).filter(([name]) => name in values && !(name in typed))
  for (const [name, value] of entries) form.setValue(name, value, { shouldDirty: true })
  if (entries.length === 0) return null
  return {
    atMs: draft.atMs,
    baseline: membersOf(
      draft.baseline,
      entries.map(([name]) => name),
    ),
  }
}
