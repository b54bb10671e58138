import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { explain, isRefused } from '../lib/api.ts'
import { openedMs } from '../lib/preload.ts'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { usePlaceholder } from '../lib/use-slow-wait.ts'
import { Alert } from './alert.tsx'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'
import { Skeleton } from './skeleton.tsx'

interface ReadGateProps<Data> {
  readonly read: UseQueryResult<Data>
  /** Waits for data that came after the page was opened, because it fills a form. Mount it anew for other data. */
  readonly isFresh?: boolean
  /** As wide as the page, because the data is no form. */
  readonly isWide?: boolean
  /** Inside a card or a dialog, which has a frame of its own. */
  readonly isPart?: boolean
  /** The next step where the server refused the call, so that another try would not help. */
  readonly refusedAction?: ReactNode
  /** In the shape of the page; without it, that of a form. */
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows the data; before it a skeleton, and after a failure the reason and a button to retry. */
export function ReadGate<Data>(props: ReadGateProps<Data>) {
  const { read, isFresh = false, isWide = false, isPart = false, skeleton, children } = props
  const [sinceMs] = useState(openedMs)
  const isOld = isFresh && read.dataUpdatedAt < sinceMs
  if (usePlaceholder(read.isPending || (isOld && read.isFetching))) {
    if (skeleton !== undefined) return <div aria-busy>{skeleton}</div>
    return isPart ? <PartSkeleton /> : <FormSkeleton isWide={isWide} />
  }
  return read.data !== undefined && !isOld ? children(read.data) : <Failed {...props} />
}

function Failed<Data>({ read, isWide = false, isPart = false, refusedAction }: ReadGateProps<Data>) {
  const t = useT()
  const title = t('read.failed')
  const reason = explain(read.error)?.text
  const retry = (
    <Button size={isPart ? 'sm' : 'md'} onClick={() => void read.refetch()}>
      {t('action.retry')}
    </Button>
  )
  const action = isRefused(read.error) ? (refusedAction ?? retry) : retry
  if (isPart) {
    return (
      <Alert kind="error" title={title} action={action}>
        {reason}
      </Alert>
    )
  }
  return (
    <div className={cx('rounded-md border bg-surface', !isWide && 'max-w-[720px]')}>
      <EmptyState icon={<CircleAlert />} title={title} text={reason} action={action} />
    </div>
  )
}

function FormSkeleton({ isWide }: { readonly isWide: boolean }) {
  return (
    <div aria-busy className={cx('space-y-5 rounded-md border bg-surface p-4', !isWide && 'max-w-[720px]')}>
      {['username', 'name', 'secret', 'rest'].map((row) => (
        <div key={row} className="space-y-2">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-8 w-full" />
        </div>
      ))}
    </div>
  )
}

function PartSkeleton() {
  return (
    <div aria-busy className="space-y-4 py-2">
      <Skeleton className="h-4 w-3/5" />
      <Skeleton className="h-4 w-2/5" />
    </div>
  )
}
