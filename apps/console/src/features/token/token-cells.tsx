import { type TokenRow, tokenStatus } from '@sluice/contract'
import { exactQuota, formatQuota } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { cx, maskSecret } from '../../lib/text.ts'
import { formatRelative, formatTime, formatUtc } from '../../lib/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'

interface CellProps {
  readonly row: TokenRow
}

/** The used quota, and its share of the total. */
export function UsedCell({ row }: CellProps) {
  const money = useMoney()
  return (
    <span className="inline-flex items-center gap-2.5 align-middle max-sm:flex-row-reverse">
      {row.unlimited_quota ? null : <QuotaBar row={row} />}
      <span className="sm:min-w-19" title={exactQuota(row.used_quota, money)}>
        {formatQuota(row.used_quota, money)}
      </span>
    </span>
  )
}

function QuotaBar({ row }: CellProps) {
  const t = useT()
  const total = row.used_quota + Math.max(0, row.remain_quota)
  const percent = total === 0 ? 100 : Math.round((row.used_quota / total) * 100)
  return (
    <span role="img" aria-label={t('token.bar', { percent })} title={t('token.bar', { percent })} className="h-1 w-10 rounded-full bg-line">
      <span
        className={cx('block h-full rounded-full', percent >= 90 ? 'bg-red' : percent >= 70 ? 'bg-yellow' : 'bg-accent')}
        style={{ width: `${percent}%` }}
      />
    </span>
  )
}

export function RemainCell({ row }: CellProps) {
  const t = useT()
  const money = useMoney()
  if (row.unlimited_quota) return <span className="text-muted">{t('word.unlimited')}</span>
  return <span title={exactQuota(row.remain_quota, money)}>{formatQuota(row.remain_quota, money)}</span>
}

/** An expiry within this time shows a warning. */
const soonSeconds = 7 * 86_400

export function ExpiryCell({ row }: CellProps) {
  const t = useT()
  const locale = useLocale()
  if (row.expired_time === -1) return <span className="text-muted">{t('time.never')}</span>
  const nowMs = Date.now()
  const relative = formatRelative(row.expired_time, { nowMs, locale })
  const left = row.expired_time - nowMs / 1000
  const tone = row.status !== tokenStatus.enabled || left > soonSeconds ? null : left > 0 ? 'yellow' : 'red'
  return (
    <span className="inline-flex items-center gap-x-2 gap-y-1 align-middle max-sm:flex-wrap">
      <span title={`${relative} · ${formatUtc(row.expired_time)}`}>{formatTime(row.expired_time)}</span>
      {tone === null ? null : <Badge tone={tone}>{relative}</Badge>}
    </span>
  )
}

/** The masked key; a click copies the whole key. */
export function KeyCell({ row, onCopy }: CellProps & { readonly onCopy: (row: TokenRow) => void }) {
  const t = useT()
  if (row.unreadable.length > 0) return <UnreadableBadge row={row} />
  return (
    <button
      type="button"
      aria-label={t('token.copy.key', { name: row.name })}
      onClick={() => onCopy(row)}
      className="-mx-1 inline-flex h-6 items-center rounded-sm px-1 font-mono text-xs text-muted hover:bg-hover hover:text-text touch:h-11"
    >
      sk-{maskSecret(row.key)}
    </button>
  )
}
