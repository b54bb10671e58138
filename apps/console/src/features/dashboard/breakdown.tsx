import { logType } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { Download, ListFilter } from 'lucide-react'
import { csvText } from '../../lib/csv-text.ts'
import { fileName, saveFile } from '../../lib/download.ts'
import { durationText } from '../../lib/duration-text.ts'
import { abbreviate, exactQuota, formatQuota, group as grouped } from '../../lib/quota.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { DataText } from '../../ui/data-text.tsx'
import type { DashboardLimits, Group, Metric } from './dashboard-search.ts'
import { marginShareText, shareText } from './dashboard-words.ts'
import { linesOf, logSearchOf, marginOf, type Totals, totalsOf, type UsageLine, type UsagePoint } from './usage-lines.ts'
import { useLineName } from './use-line-name.ts'

interface BreakdownProps {
  readonly points: readonly UsagePoint[]
  readonly span: TimeSpan
  readonly buckets: readonly TimeSpan[]
  readonly metric: Metric
  readonly group: Group
  readonly limits: DashboardLimits
  readonly setLimit: (limit: DashboardLimits) => void
}

const columns = ['requests', 'tokens', 'quota', 'share', 'errors', 'average'] as const
const adminColumns = ['requests', 'tokens', 'charged', 'cost', 'margin', 'share', 'errors', 'average'] as const

const cell = 'h-(--row) px-3 first:pl-4 last:pr-4 text-right whitespace-nowrap tabular'

/** The sums of each line of the usage chart, each with a link to its log. */
export function Breakdown({ points, span, buckets, metric, group, limits, setLimit }: BreakdownProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const lines = linesOf(points, buckets, metric)
  const all = totalsOf(points)
  const nameOf = useLineName(group)
  if (lines.length === 0) return null
  const title = t('dashboard.breakdown', { group: t(`dashboard.group.${group}`) })
  const save = () => {
    const head = [t(`dashboard.group.${group}`), ...fileColumns(isAdmin).map((name) => t(`dashboard.column.${name}`))]
    const rows = lines.map((line) => [nameOf(line), ...fileColumns(isAdmin).map((name) => fileCell(line.total, name))])
    saveFile(`${fileName(title)}.csv`, new Blob([csvText([head, ...rows])], { type: 'text/csv;charset=utf-8' }))
  }
  return (
    <div className="mt-4 rounded-md border bg-surface">
      <div className="flex items-center justify-between px-4 pt-3">
        <h2 className="font-semibold">{title}</h2>
        <IconButton label={t('chart.save', { name: title })} onClick={save}>
          <Download aria-hidden className="size-4" />
        </IconButton>
      </div>
      <section
        aria-label={title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="overflow-x-auto rounded-md thin-scroll"
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
              <Row key={line.key} {...{ line, all, group, metric, span, limits, setLimit }} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** The shares and means can be computed from the others; the parts of the tokens cannot. */
const fileColumns = (isAdmin: boolean) => (isAdmin ? adminColumns : columns).flatMap((name) => fileColumnsOf[name])

const fileColumnsOf = {
  requests: ['requests'],
  tokens: ['tokens', 'promptTokens', 'completionTokens'],
  quota: ['quota'],
  charged: ['charged'],
  cost: ['cost'],
  margin: ['margin'],
  share: [],
  errors: ['errors'],
  average: [],
} as const

/** Money in quota, as in files of the log; empty = not known. */
function fileCell(total: Totals, name: ReturnType<typeof fileColumns>[number]): number | string {
  switch (name) {
    case 'charged':
      return total.quota
    case 'errors':
      return total.failures
    case 'margin':
      return marginOf(total) ?? ''
    case 'cost':
      return marginOf(total) === null ? '' : total.cost
    default:
      return total[name]
  }
}

interface RowProps extends Pick<BreakdownProps, 'group' | 'metric' | 'span' | 'limits' | 'setLimit'> {
  readonly line: UsageLine
  readonly all: Totals
}

function Row({ line, all, group, metric, span, limits, setLimit }: RowProps) {
  const t = useT()
  const money = useMoney()
  const { isAdmin } = useSession()
  const { requests, tokens, promptTokens, completionTokens, quota, failures, elapsed } = line.total
  const share = all[metric] === 0 ? 0 : line.total[metric] / all[metric]
  const own = logSearchOf(line, group)
  const search = { ...limits, type: logType.consume, start: span.from, end: span.to - 1, ...own }
  const name = useLineName(group)(line)
  const mayLimit = Object.keys(own).length > 0 && limits[group] === undefined
  return (
    <tr className="border-b last:border-b-0 hover:bg-hover">
      <th scope="row" className={`${cell} sticky left-0 bg-surface text-left! font-medium`}>
        <span className="flex items-center gap-1">
          <Link to="/log" search={search} className="block w-fit rounded-sm hover:text-accent hover:underline">
            <DataText text={name} className="max-w-54 max-sm:max-w-36" />
          </Link>
          {mayLimit ? (
            <IconButton label={t('dashboard.only', { name })} onClick={() => setLimit(own)}>
              <ListFilter aria-hidden className="size-3.5" />
            </IconButton>
          ) : null}
        </span>
      </th>
      <td className={cell} title={grouped(requests)}>
        {abbreviate(requests)}
      </td>
      <td className={cell} title={t('dashboard.tokens.parts', { input: grouped(promptTokens), output: grouped(completionTokens) })}>
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
      <td className={cell}>
        {failures === 0 ? null : (
          <Link to="/log" search={{ ...search, outcome: 'failures' as const }} className="rounded-sm text-red hover:underline">
            {shareText(failures / requests)}
          </Link>
        )}
      </td>
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
