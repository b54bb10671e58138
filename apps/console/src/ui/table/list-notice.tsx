import { CircleAlert, Lock, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain, isRefused } from '../../lib/api.ts'
import { useIsReading } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import type { ListView } from '../../lib/use-list.ts'
import { Button } from '../button.tsx'
import { EmptyState } from '../empty-state.tsx'

interface ListNoticeProps {
  readonly list: Pick<ListView<{ readonly id: number }>, 'error' | 'failedAtMs' | 'keyword' | 'refresh' | 'key'>
  readonly isForAdmins: boolean
  /** Clears the page's own filters; `null` = none is set. */
  readonly clearFilters: (() => void) | null
  readonly clearSearch: () => void
  /** Shown if no row exists at all: the list's purpose, and the first step. */
  readonly empty: ReactNode
}

/** Whether the server has refused the list because it is not for this user. */
export function useIsForbidden({ error }: Pick<ListNoticeProps['list'], 'error'>, isForAdmins: boolean): boolean {
  const { isAdmin } = useSession()
  return isForAdmins && !isAdmin && isRefused(error)
}

/** Replaces the rows: why there are none, and the next step. */
export function ListNotice({ list, isForAdmins, clearFilters, clearSearch, empty }: ListNoticeProps) {
  const t = useT()
  const isForbidden = useIsForbidden(list, isForAdmins)
  if (isForbidden) return <Forbidden />
  if (list.error !== null) return <Failed list={list} />
  if (list.keyword !== '') {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t('list.none')}
        text={t('list.none.for', { keyword: list.keyword })}
        action={<Button onClick={clearSearch}>{t('list.search.clear')}</Button>}
      />
    )
  }
  if (clearFilters !== null) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t('list.none')}
        text={t('list.none.filters')}
        action={<Button onClick={clearFilters}>{t('list.filters.clear')}</Button>}
      />
    )
  }
  return empty
}

function Failed({ list }: Pick<ListNoticeProps, 'list'>) {
  const t = useT()
  const isReading = useIsReading(list)
  return (
    <EmptyState
      icon={<CircleAlert />}
      title={t('list.failed')}
      text={
        <>
          {explain(list.error)?.text}
          <span className="block text-sm tabular">{t('list.failed.at', { time: formatTime(list.failedAtMs / 1000) })}</span>
        </>
      }
      action={
        <Button onClick={list.refresh} isBusy={isReading}>
          {t('action.retry')}
        </Button>
      }
    />
  )
}

function Forbidden() {
  const t = useT()
  return <EmptyState icon={<Lock />} title={t('list.forbidden')} text={t('list.forbidden.text')} />
}
