import { log } from '@sluice/contract'
import { formatQuota } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Badge } from '../../ui/badge.tsx'

/** All rows of the list share one response for this time. */
const freshMs = 60_000

/** Marks a channel that costs more than is charged; nothing if it does not, or if that is not known. */
export function ChannelLossBadge({ id }: { readonly id: number }) {
  const t = useT()
  const money = useMoney()
  const { data = [] } = useRead(log.losses, { input: {}, freshMs, isSilent: true })
  const loss = data.find(({ channel }) => channel === id)
  if (loss === undefined) return null
  const amounts = { cost: formatQuota(loss.cost, money), charged: formatQuota(loss.costed_quota, money) }
  return (
    <span title={t('channel.loss.note', amounts)} className="inline-flex">
      <Badge tone="red">{t('channel.loss')}</Badge>
    </span>
  )
}
