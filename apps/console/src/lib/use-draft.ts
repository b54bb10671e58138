import { account } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type FieldValues, type UseFormReturn, useFormContext } from 'react-hook-form'
import { changedOf, draftKey, readDraft, removeOldDrafts, writeDraft } from './draft.ts'
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

/** Keeps the unsaved entries of the form around this component for the account that typed them, and restores them. */
export function useDraft(): DraftOfForm {
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
  const latest = useRef(form)
  useEffect(() => {
    latest.current = form
  })

  const store = useCallback(() => {
    const { current } = latest
    if (key === null || current === null || isForgotten.current) return
    const values = changedOf(current.getValues(), defaultsOf(current))
    writeDraft(storage, key, { atMs: Date.now(), values })
  }, [key])

  const subscribe = form?.subscribe
  useEffect(() => {
    const { current } = latest
    if (key === null || current === null || subscribe === undefined) return
    removeOldDrafts(storage, Date.now())
    const atMs = restore(current, key)
    if (atMs !== null) setRestoredMs(atMs)
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
    setRestoredMs(null)
    if (key !== null) storage.remove(key)
  }
  return { restoredMs, discard, forget }
}

function defaultsOf({ formState }: UseFormReturn): FieldValues {
  return formState.defaultValues ?? {}
}

/** Puts the stored entries into their fields, except where something was typed already. @returns when they were typed */
function restore(form: UseFormReturn, key: ReturnType<typeof draftKey>): number | null {
  const draft = readDraft(storage, key, Date.now())
  if (draft === null) return null
  const values = form.getValues()
  const typed = changedOf(values, defaultsOf(form))
  const entries = Object.entries(changedOf(draft.values, values)).filter(([name]) => name in values && !(name in typed))
  for (const [name, value] of entries) form.setValue(name, value, { shouldDirty: true })
  return entries.length === 0 ? null : draft.atMs
}
