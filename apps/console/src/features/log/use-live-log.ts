import { type LogRow, log } from '@sluice/contract'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '../../lib/api.ts'
import { newRowsOf } from '../../lib/list-rows.ts'
import { useIsReading } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import type { ListView } from '../../lib/use-list.ts'
import { rowElement } from '../../ui/table/use-row-runner.ts'
import { isNewer, lastId, pollDelay, watchedRowsMax, withWaiting } from './live-rows.ts'
import { toFullQuery, toOwnQuery } from './log-query.ts'
import { type LogFilters, readLive } from './log-search.ts'

export interface LiveLog {
  readonly isOn: boolean
  readonly toggle: () => void
  /** Paused by its button. */
  readonly isPaused: boolean
  readonly togglePause: () => void
  /** New rows that are not shown yet. */
  readonly waiting: number
  readonly show: () => void
  /** Rows that were added in the last while, for screen readers. */
  readonly added: number
  /** When the next call is made after one that failed; `null` = the last one succeeded. */
  readonly retryAtMs: number | null
  readonly retry: () => void
}

interface Watched {
  readonly list: ListView<LogRow>
  readonly filters: LogFilters
  /** The reader is busy with the rows. */
  readonly isHeld: boolean
}

/** Time between two announcements of how many rows were added. */
const announceMs = 20_000

/** Adds new rows to the list while the address says so. They wait while the reader is busy with the rows, and for a tab that was hidden. */
export function useLiveLog({ list, filters, isHeld }: Watched): LiveLog {
  const isOn = readLive(useSearch({ strict: false })).live === 'on'
  const change = useAddress()
  const [isPaused, setPaused] = useState(false)
  const [waiting, setWaiting] = useState<readonly LogRow[]>([])
  const [added, announce] = useAnnouncement()
  const isAway = list.page > 1 || list.sort !== null
  const mustWait = isHeld || isPaused || isAway
  const insert = (rows: readonly LogRow[]) => {
    setWaiting([])
    list.add({ rows, isBefore: isNewer, most: watchedRowsMax })
    announce(rows.length)
    requestAnimationFrame(() => flash(rows))
  }
  const receive = (rows: readonly LogRow[], wasHidden: boolean) => {
    const fresh = newRowsOf(list, { rows, isBefore: isNewer })
    if (fresh.length === 0) return
    if (mustWait || wasHidden || waiting.length > 0) setWaiting(withWaiting(waiting, fresh))
    else insert(fresh)
  }
  const view = JSON.stringify(filters)
  const isReading = useIsReading(list)
  const { retryAtMs, retry } = usePolling({ isOn: isOn && !list.isLoading && !isReading, view, filters, rows: list.rows, receive })
  const release = useEffectEvent(() => {
    if (waiting.length > 0) insert(waiting)
  })
  useEffect(() => {
    if (!mustWait) release()
  }, [mustWait])
  // Pending rows belong to the filters of their query.
  const [currentView, setCurrentView] = useState(view)
  if (currentView !== view || (!isOn && waiting.length > 0)) {
    setCurrentView(view)
    setWaiting([])
  }
  return {
    isOn,
    toggle: () => {
      setPaused(false)
      change(isOn ? { live: undefined } : { live: 'on', page: 1, sort: undefined })
    },
    isPaused,
    togglePause: () => setPaused(!isPaused),
    waiting: waiting.length,
    show: () => {
      if (isAway) change({ page: 1, sort: undefined })
      insert(waiting)
    },
    added,
    ...{ retryAtMs, retry },
  }
}

interface Polling {
  readonly isOn: boolean
  readonly view: string
  readonly filters: LogFilters
  readonly rows: readonly LogRow[]
  readonly receive: (rows: readonly LogRow[], wasHidden: boolean) => void
}

/** One call after another while the tab is shown; each asks for what was written since the one before. */
function usePolling({ isOn, view, filters, rows, receive }: Polling) {
  const { isAdmin } = useSession()
  const [retryAtMs, setRetryAtMs] = useState<number | null>(null)
  const [attempt, setAttempt] = useState(0)
  const onRows = useEffectEvent(receive)
  const start = useEffectEvent(() => lastId(rows))
  const ask = useEffectEvent(async (since: number, signal: AbortSignal) => {
    const now = Math.floor(Date.now() / 1000)
    return isAdmin
      ? await call(log.tail, { ...toFullQuery(filters, now), since }, { signal })
      : await call(log.tailSelf, { ...toOwnQuery(filters, now), since }, { signal })
  })
  // `view` and `attempt` begin anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what begins anew, and are not read
  useEffect(() => {
    if (!isOn) return
    const stopper = new AbortController()
    const { signal } = stopper
    let [since, failures, wasHidden, isAsking] = [start(), 0, document.hidden, false]
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async () => {
      clearTimeout(timer)
      if (document.hidden || isAsking) return
      isAsking = true
      try {
        const news = await ask(since, signal)
        since = news.last
        failures = 0
        setRetryAtMs(null)
        onRows(news.rows, wasHidden)
        wasHidden = false
      } catch {
        if (signal.aborted) return
        failures += 1
        setRetryAtMs(Date.now() + pollDelay(failures))
      } finally {
        isAsking = false
        if (!signal.aborted) timer = setTimeout(() => void poll(), pollDelay(failures))
      }
    }
    const onVisibility = () => {
      if (document.hidden) wasHidden = true
      else void poll()
    }
    document.addEventListener('visibilitychange', onVisibility, { signal })
    // The list was loaded a moment ago, unless a failure is tried again.
    if (attempt === 0) timer = setTimeout(() => void poll(), pollDelay(0))
    else void poll()
    return () => {
      stopper.abort()
      clearTimeout(timer)
      setRetryAtMs(null)
    }
  }, [isOn, view, isAdmin, attempt])
  return { retryAtMs, retry: () => setAttempt((last) => last + 1) }
}

/** The number of rows that were added since the last announcement, said now and then. */
function useAnnouncement(): readonly [number, (count: number) => void] {
  const [announced, setAnnounced] = useState(0)
  const pending = useRef({ count: 0, atMs: 0 })
  const announce = (count: number) => {
    const total = pending.current.count + count
    const isDue = Date.now() - pending.current.atMs >= announceMs
    pending.current = isDue ? { count: 0, atMs: Date.now() } : { ...pending.current, count: total }
    if (isDue) setAnnounced(total)
  }
  return [announced, announce]
}

const flashMs = 1_500

/** Marks new rows for a moment. */
function flash(rows: readonly LogRow[]): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  for (const { id } of rows)
    for (const cell of rowElement(id)?.querySelectorAll('td, th') ?? [])
      cell.animate({ backgroundColor: ['var(--accent-tint)', 'var(--surface)'] }, { duration: flashMs, easing: 'ease-out' })
}
