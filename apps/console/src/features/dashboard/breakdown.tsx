import { logType } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { durationText } from '../../lib/duration-text.ts'
import { abbreviate, exactQuota, formatQuota, group as grouped } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { Badge } from '../../ui/badge.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { DataText } from '../../ui/data-text.tsx'
import type { Group, Metric } from './dashboard-search.ts'
import { marginShareText, shareText } from './dashboard-words.ts'
import { linesOf, logSearchOf, marginOf, type Totals, totalsOf, type UsageLine, type UsagePoint } from './usage-lines.ts'
import { useLineName } from './use-line-name.ts'

interface BreakdownProps {
  readonly points: readonly UsagePoint[]
  readonly span: TimeSpan
  readonly buckets: readonly TimeSpan[]
  readonly metric: Metric
  readonly group: Group
}

const columns = ['requests', 'tokens', 'quota', 'share', 'errors', 'average'] as const
const adminColumns = ['requests', 'tokens', 'charged', 'cost', 'margin', 'share', 'errors', 'average'] as const

const cell = 'h-(--row) px-3 text-right whitespace-nowrap tabular'

/** The sums of each line of the usage chart, each with a link to its log. */
export function Breakdown({ points, span, buckets, metric, group }: BreakdownProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const lines = linesOf(points, buckets, metric)
  const all = totalsOf(points)
  if (lines.length === 0) return null
  return (
    <section
      aria-label={t('dashboard.breakdown', { group: t(`dashboard.group.${group}`) })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="mt-4 overflow-x-auto rounded-md border bg-surface thin-scroll"
    >
      <table className="w-full">
        <thead className="border-b text-sm text-muted">
          <tr>
            <th scope="col" className={`${cell} sticky left-0 bg-surface text-left! font-medium`}>
              {t(`dashboard.group.${group}`)}
            </th>
            {(isAdmin ? adminColumns : columns).map((name) => (
              <th key={name} scope="col" className={`${cell} font-medium`}>
                {t(`dashboard.column.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Row key={line.key} {...{ line, all, group, metric, span }} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps extends Pick<BreakdownProps, 'group' | 'metric' | 'span'> {
  readonly line: UsageLine
  readonly all: Totals
}

function Row({ line, all, group, metric, span }: RowProps) {
  const t = useT()
  const money = useMoney()
  const { isAdmin } = useSession()
  const { requests, tokens, quota, failures, elapsed } = line.total
  const share = all[metric] === 0 ? 0 : line.total[metric] / all[metric]
  const search = { type: logType.consume, start: span.from, end: span.to - 1, ...logSearchOf(line, group) }
  return (
    <tr className="border-b last:border-b-0 hover:bg-hover">
      <th scope="row" className={`${cell} sticky left-0 bg-surface text-left! font-medium`}>
        <Link to="/log" search={search} className="block w-fit rounded-sm hover:text-accent hover:underline">
          <DataText text={useLineName(group)(line)} className="max-w-54" />
        </Link>
      </th>
      <td className={cell} title={grouped(requests)}>
        {abbreviate(requests)}
      </td>
      <td className={cell} title={grouped(tokens)}>
        {abbreviate(tokens)}
      </td>
      <td className={cell} title={exactQuota(quota, money)}>
        {formatQuota(quota, money)}
      </td>
      {isAdmin ? <MarginCells total={line.total} /> : null}
      <td className={cell}>
        <span className="inline-flex items-center gap-2">
          <span aria-hidden className="h-1.5 w-16 overflow-hidden rounded-full bg-sunken">
            <span className="block h-full bg-accent" style={{ width: `${share * 100}%` }} />
          </span>
          <span className="w-10">{shareText(share)}</span>
        </span>
      </td>
      <td className={cell}>{failures === 0 ? '' : <span className="text-red">{shareText(failures / requests)}</span>}</td>
      <td className={cell}>{requests === 0 ? '' : durationText(elapsed / requests, t)}</td>
    </tr>
  )
}

/** What vendors charge, and what is left. */
function MarginCells({ total }: { readonly total: Totals }) {
  const t = useT()
  const money = useMoney()
  const margin = marginOf(total)
  if (margin === null)
    return (
      <td colSpan={2} className={`${cell} text-muted`}>
        {t('dashboard.cost.unknown')}
      </td>
    )
  const { cost, costedQuota, quota } = total
  const part = costedQuota < quota ? t('dashboard.margin.part', { share: shareText(costedQuota / quota) }) : undefined
  return (
    <>
      <td className={cell} title={exactQuota(cost, money)}>
        {formatQuota(cost, money)}
      </td>
      <td className={cell} title={part}>
        {margin < 0 ? <Badge tone="red">{t('dashboard.loss')}</Badge> : null}{' '}
        <span className={margin < 0 ? 'text-red' : undefined}>{formatQuota(margin, money)}</span>{' '}
        <span className="inline-block w-12 text-sm text-muted">{marginShareText(margin, costedQuota)}</span>
      </td>
    </>
  )
}
