import { account } from '@sluice/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { storage } from './storage.ts'
import { useRead } from './use-call.ts'
import { readViews, type SavedViews, type ViewSearch, viewOf, writeViews } from './views.ts'

export interface ViewsOfList {
  /** `null` = the account is not known yet. */
  readonly saved: SavedViews | null
  readonly save: (views: SavedViews) => void
  /** The view that the address shows. */
  readonly current: ViewSearch
  readonly apply: (search: ViewSearch) => void
}

/** The saved views of a list, kept by account in this browser. The list opens with the chosen one if its address names nothing else. */
export function useViews(list: string): ViewsOfList {
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000, isSilent: true })
  const search: ViewSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const [written, setWritten] = useState<SavedViews | null>(null)
  const accountId = self?.id ?? null
  const saved = useMemo(() => written ?? (accountId === null ? null : readViews(storage, list, accountId)), [written, list, accountId])
  const go = (search: ViewSearch, replace: boolean) =>
    // Holds: each list's reader checks the parameters.
    void navigate({ to: '.', search: (() => search) as never, replace, resetScroll: false })
  const begin = useEffectEvent(() => {
    const start = saved?.views.find(({ name }) => name === saved.start)
    if (start !== undefined && Object.keys(search).length === 0) go(start.search, true)
  })
  useEffect(() => {
    if (accountId !== null) begin()
  }, [accountId])
  return {
    saved,
    save: (views) => {
      if (accountId === null) return
      writeViews(storage, { list, accountId }, views)
      setWritten(views)
    },
    current: viewOf(search),
    apply: (search) => go(search, false),
  }
}
