import { account, isOptionKey, type OptionKey, optionRow } from '@sluice/contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { draftKey, readDraft, removeOldDrafts, writeDraft } from '../../lib/draft.ts'
import { storage } from '../../lib/storage.ts'
import { useRead } from '../../lib/use-call.ts'
import type { Drafts } from './option-values.ts'
import type { OptionForm } from './use-option-form.ts'

/** Typed values are stored after a pause in typing, and when the page is left. */
const pauseMs = 300

interface KeptDrafts {
  /** When the restored values were typed; `null` = none were restored. */
  readonly restoredMs: number | null
  /** Forgets what is stored; nothing is stored any more. */
  readonly forget: () => void
}

/** Keeps unsaved values, except secrets, for the account that typed them: for a reload, or a session that ended in another tab. */
export function useKeptDrafts(form: OptionForm): KeptDrafts {
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000, isSilent: true })
  const key = self === undefined ? null : draftKey(self.id, '/setting')
  const [restoredMs, setRestoredMs] = useState<number | null>(null)
  const isForgotten = useRef(false)
  const latest = useRef(form)
  useEffect(() => {
    latest.current = form
  })
  const store = useCallback(
    (drafts: Drafts) => {
      if (key === null || isForgotten.current) return
      const values = [...drafts].filter(([name]) => !optionRow(name).secret)
      writeDraft(storage, key, { atMs: Date.now(), values: Object.fromEntries(values), baseline: {} })
    },
    [key],
  )
  useEffect(() => {
    if (key === null) return
    removeOldDrafts(storage, Date.now())
    const atMs = restore(latest.current, key)
    if (atMs !== null) setRestoredMs(atMs)
    const storeLatest = () => store(latest.current.drafts)
    addEventListener('pagehide', storeLatest)
    return () => {
      removeEventListener('pagehide', storeLatest)
      storeLatest()
    }
  }, [key, store])
  const { drafts } = form
  useEffect(() => {
    const timer = setTimeout(() => store(drafts), pauseMs)
    return () => clearTimeout(timer)
  }, [drafts, store])
  const forget = () => {
    isForgotten.current = true
    if (key !== null) storage.remove(key)
  }
  return { restoredMs, forget }
}

/** Puts the stored values into their fields, except where something was typed already. @returns when they were typed */
function restore({ drafts, setDraft }: OptionForm, key: ReturnType<typeof draftKey>): number | null {
  const draft = readDraft(storage, key, Date.now())
  const values = Object.entries(draft?.values ?? {}).filter((entry): entry is [OptionKey, string] => {
    const [name, value] = entry
    return isOptionKey(name) && !optionRow(name).secret && typeof value === 'string' && !drafts.has(name)
  })
  for (const [name, value] of values) setDraft(name, value)
  return draft === null || values.length === 0 ? null : draft.atMs
}
