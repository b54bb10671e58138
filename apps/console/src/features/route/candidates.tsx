import type { CandidateRow, LeftOutReason, RouteReport } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { groupBy } from '../../lib/group-by.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { StatusBadge, type StatusLooks } from '../../ui/status-badge.tsx'
import { VendorBadge } from '../../ui/vendor-badge.tsx'

const candidateLooks: StatusLooks<LeftOutReason> = {
  byStatus: {
    '': { tone: 'green', shape: 'filled', text: 'route.used' },
    disabled: { tone: 'grey', shape: 'ring', text: 'route.out.disabled' },
    other_group: { tone: 'grey', shape: 'ring', text: 'route.out.other_group' },
    not_offered: { tone: 'grey', shape: 'ring', text: 'route.out.not_offered' },
    unreadable: { tone: 'red', shape: 'half', text: 'route.out.unreadable' },
    unusable: { tone: 'grey', shape: 'ring', text: 'route.out.unusable' },
    cooled: { tone: 'yellow', shape: 'half', text: 'route.out.cooled' },
    full: { tone: 'orange', shape: 'half', text: 'route.out.full' },
    down: { tone: 'red', shape: 'ring', text: 'route.out.down' },
  },
}

interface CandidatesProps {
  readonly report: RouteReport
}

/** Candidates that are listed at first: more are slow to draw and are seldom read. */
const visibleMax = 100

export function Candidates({ report }: CandidatesProps) {
  const t = useT()
  const [isWhole, setWhole] = useState(false)
  const { channels, group, is_priced: isPriced, attempts, choice } = report
  if (channels.length === 0) return <Alert kind="warning">{t('route.nobody')}</Alert>
  const tries = t('word.sentences', {
    first: t('route.attempts', { count: attempts }),
    second: t(choice === 'least_loaded' ? 'route.choice.least_loaded' : 'route.choice.weighted'),
  })
  const usable = channels.filter(({ left_out: reason }) => reason === '').length
  const visible = isWhole ? channels : channels.slice(0, visibleMax)
  return (
    <div className="space-y-3">
      {isPriced ? null : <Alert kind="warning">{t('route.unpriced')}</Alert>}
      {usable === 0 ? <Alert kind="error">{t('route.none')}</Alert> : null}
      <p className="text-sm text-muted">
        {group === '' ? tries : t('word.sentences', { first: t('route.priced.by', { group }), second: tries })}
      </p>
      <Counts channels={channels} />
      <ol aria-label={t('route.channels')} className="divide-y rounded-md border bg-surface">
        {visible.map((row, index) => (
          <Candidate key={row.id} row={row} isNewTier={index > 0 && channels[index - 1]?.priority !== row.priority} />
        ))}
      </ol>
      {visible.length === channels.length ? null : (
        <Button onClick={() => setWhole(true)}>{t('route.all', { count: channels.length })}</Button>
      )}
    </div>
  )
}

/** From this many channels on, their states are counted. */
const countedFrom = 10

/** How many channels may be tried, and how many are left out for each reason. */
function Counts({ channels }: { readonly channels: readonly CandidateRow[] }) {
  const t = useT()
  if (channels.length < countedFrom) return null
  return (
    <ul aria-label={t('route.counts')} className="flex flex-wrap gap-2">
      {[...groupBy(channels, ({ left_out: reason }) => reason)].map(([reason, rows]) => (
        <li key={reason}>
          <StatusBadge looks={candidateLooks} status={reason} count={rows.length} />
        </li>
      ))}
    </ul>
  )
}

interface CandidateProps {
  readonly row: CandidateRow
  /** It follows channels of a higher priority. */
  readonly isNewTier: boolean
}

function Candidate({ row, isNewTier }: CandidateProps) {
  const t = useT()
  const vendor = vendorByType(row.type)
  const isUsed = row.left_out === ''
  return (
    <li className={cx('grid items-center gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_auto_10rem]', isNewTier && 'border-t-2')}>
      <div className="min-w-0">
        <span className="flex min-w-0 items-center gap-2">
          {vendor === null ? null : <VendorBadge name={vendor.name} color={vendor.color} />}
          <Link
            to="/channel"
            search={{ row: row.id }}
            className={cx('min-w-0 rounded-sm font-medium hover:text-accent hover:underline', !isUsed && 'text-muted')}
          >
            <DataText text={row.name} />
          </Link>
          <span className="text-sm text-muted tabular">#{row.id}</span>
        </span>
        <span className="block text-sm wrap-anywhere text-muted">
          {t('route.facts', { priority: row.priority, weight: row.weight, groups: row.groups.join(', ') })}
          {row.latency_ms === 0 ? '' : ` · ${t('route.latency', { ms: row.latency_ms })}`}
          {row.in_flight === 0 ? '' : ` · ${t('route.running', { count: row.in_flight })}`}
        </span>
      </div>
      <div className="flex flex-col items-start gap-1 sm:items-end">
        <StatusBadge looks={candidateLooks} status={row.left_out} />
        {row.rest_ms === 0 ? null : (
          <span className="text-sm text-muted tabular">{t('route.rests', { seconds: Math.ceil(row.rest_ms / 1_000) })}</span>
        )}
      </div>
      <Chance row={row} />
    </li>
  )
}

/** The chance to be tried first, as a bar with its number. */
function Chance({ row: { chance, left_out: reason } }: { readonly row: CandidateRow }) {
  const t = useT()
  if (reason !== '') return <span />
  if (chance === 0) return <span className="text-sm text-muted sm:text-right">{t('route.later')}</span>
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full bg-accent" style={{ width: `${chance * 100}%` }} />
      </span>
      <span className="w-24 text-right text-sm tabular">{t('route.chance', { percent: Math.round(chance * 100) })}</span>
    </span>
  )
}
