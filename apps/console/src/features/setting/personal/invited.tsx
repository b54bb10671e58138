import { account } from '@sluice/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call, explain } from '../../../lib/api.ts'
import { formatQuota } from '../../../lib/quota.ts'
import { pagesOptions } from '../../../lib/reads.ts'
import { useMoney } from '../../../lib/status.ts'
import { useT } from '../../../lib/t.ts'
import { shortUsername } from '../../../lib/text.ts'
import { formatTime } from '../../../lib/time.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'

const rowsAtOnce = 10

/** Who registered by one's invitation, and what it earned. */
export function Invited() {
  const t = useT()
  const money = useMoney()
  const list = useInvited()
  if (list.data === undefined) {
    if (list.error === null) return null
    return (
      <Alert
        kind="error"
        action={
          <Button size="sm" onClick={() => void list.refetch()}>
            {t('action.retry')}
          </Button>
        }
      >
        {explain(list.error)?.text}
      </Alert>
    )
  }
  const [first] = list.data.pages
  const rows = list.data.pages.flatMap((page) => page.rows)
  if (first === undefined || first.count === 0) return <p className="text-muted">{t('personal.invited.none')}</p>
  return (
    <div className="space-y-3">
      <p>{t('personal.invited.sum', { count: first.count, quota: formatQuota(first.earned, money) })}</p>
      <table className="w-full text-sm">
        <caption className="sr-only">{t('personal.invited')}</caption>
        <thead className="text-left text-muted">
          <tr className="border-b">
            <th scope="col" className="py-1.5 pr-3 font-medium">
              {t('personal.invited.user')}
            </th>
            <th scope="col" className="py-1.5 pr-3 font-medium">
              {t('personal.invited.time')}
            </th>
            <th scope="col" className="py-1.5 text-right font-medium">
              {t('personal.invited.earned')}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map(({ id, username, created_time, earned }) => (
            <tr key={id}>
              <td className="py-1.5 pr-3 break-all" title={username}>
                {username === '' ? (
                  <span className="text-muted">{t('personal.invited.deleted')}</span>
                ) : (
                  <bdi>{shortUsername(username)}</bdi>
                )}
              </td>
              <td className="py-1.5 pr-3 text-muted tabular">{formatTime(created_time)}</td>
              <td className="py-1.5 text-right tabular">{formatQuota(earned, money)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.hasNextPage ? (
        <Button size="sm" isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('personal.invited.more')}
        </Button>
      ) : null}
    </div>
  )
}

function useInvited() {
  return useInfiniteQuery({
    ...pagesOptions(account.invited, {
      read: (after, { signal }) => call(account.invited, { after, size: rowsAtOnce }, { signal }),
      nextOf: ({ rows }) => (rows.length < rowsAtOnce ? undefined : rows.at(-1)?.id),
    }),
    meta: { failure: 'silent' },
  })
}
