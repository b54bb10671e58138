import type { UseQueryResult } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { explain } from '../lib/api.ts'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { usePlaceholder } from '../lib/use-slow-wait.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'
import { Skeleton } from './skeleton.tsx'

interface ReadGateProps<Data> {
  readonly read: UseQueryResult<Data>
  /** Waits for data that was read after the page opened, because it fills a form. */
  readonly isFresh?: boolean
  /** As wide as the page, because the data is no form. */
  readonly isWide?: boolean
  /** In the shape of the page; without it, that of a form. */
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows the data; before it a skeleton, and after a failure the reason and a button to retry. */
export function ReadGate<Data>({ read, isFresh = false, isWide = false, skeleton, children }: ReadGateProps<Data>) {
  const t = useT()
  const isOld = isFresh && !read.isFetchedAfterMount
  if (usePlaceholder(read.isPending || (isOld && read.isFetching))) {
    if (skeleton !== undefined) return <div aria-busy>{skeleton}</div>
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
  if (read.data !== undefined && !isOld) return children(read.data)
  return (
    <div className={cx('rounded-md border bg-surface', !isWide && 'max-w-[720px]')}>
      <EmptyState
        icon={<CircleAlert />}
        title={t('read.failed')}
        text={explain(read.error)?.text}
        action={<Button onClick={() => void read.refetch()}>{t('action.retry')}</Button>}
      />
    </div>
  )
}
