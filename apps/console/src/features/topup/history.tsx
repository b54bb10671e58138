import { account, type LogRow, log, logType } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleAlert, Receipt } from 'lucide-react'
import { explain } from '../../lib/api.ts'
import { prefetch } from '../../lib/preload.ts'
import { exactQuota, formatQuota } from '../../lib/quota.ts'
import { readOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { formatTime, formatUtc } from '../../lib/time.ts'
import { useRead } from '../../lib/use-call.ts'
import { usePlaceholder } from '../../lib/use-slow-wait.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const topUps = { type: logType.topUp } as const

export const startHistory = (client: QueryClient): void => prefetch(client, readOptions(log.listSelf, topUps))

/** The last top-ups of the own account; the log has all. */
export function History() {
  const t = useT()
  const rows = useRead(log.listSelf, { input: topUps, isPreloaded: true, isSilent: true })
  const isHeld = usePlaceholder(rows.isPending)
  return (
    <section aria-label={t('topup.history')} className="rounded-md max-lg:order-2 border bg-surface">
      <div className="flex items-center justify-between gap-3 border-b px-4 py-2.5">
        <h2 className="font-semibold">{t('topup.history')}</h2>
        {rows.data === undefined || rows.data.length === 0 ? null : <AllLink />}
      </div>
      {isHeld ? (
        <div aria-busy className="space-y-4 p-4">
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
          <Skeleton className="h-8 w-full" />
        </div>
      ) : rows.data !== undefined ? (
        <Rows rows={rows.data} />
      ) : (
        <EmptyState
          icon={<CircleAlert />}
          title={t('read.failed')}
          text={explain(rows.error)?.text}
          action={<Button onClick={() => void rows.refetch()}>{t('action.retry')}</Button>}
        />
      )}
    </section>
  )
}

/** Administrators see everybody's log, so theirs needs the name. */
function AllLink() {
  const t = useT()
  const { isAdmin } = useSession()
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000 })
  const search = { type: logType.topUp, ...(isAdmin && self !== undefined && { user: self.username }) }
  return (
    <Link to="/log" search={search} className="rounded-sm text-sm text-accent hover:underline">
      {t('topup.history.all')}
    </Link>
  )
}

function Rows({ rows }: { readonly rows: readonly LogRow[] }) {
  const t = useT()
  const money = useMoney()
  if (rows.length === 0) return <EmptyState icon={<Receipt />} title={t('topup.history.none')} text={t('topup.history.none.text')} />
  return (
    <ul className="divide-y">
      {rows.map(({ id, created_at, content, quota }) => (
        <li key={id} className="flex items-baseline justify-between gap-4 px-4 py-2">
          <div className="min-w-0">
            <p className="wrap-anywhere">
              <bdi>{content}</bdi>
            </p>
            <time title={formatUtc(created_at)} className="text-sm text-muted tabular">
              {formatTime(created_at)}
            </time>
          </div>
          <span title={exactQuota(quota, money)} className="shrink-0 font-medium tabular">
            {quota > 0 ? `+${formatQuota(quota, money)}` : formatQuota(quota, money)}
          </span>
        </li>
      ))}
    </ul>
  )
}
