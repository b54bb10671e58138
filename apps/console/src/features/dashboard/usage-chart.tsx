import { logType } from '@sluice/contract'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { ChartCard } from '../../ui/chart/chart-card.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { type Group, type Metric, metrics, ownMetrics } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'
import { bucketWords, metricName, metricText } from './dashboard-words.ts'
import { chartLines, linesOf, logSearchOf, type UsagePoint } from './usage-lines.ts'
import { useLineName } from './use-line-name.ts'

/** What all charts of the page share. */
export interface ChartProps {
  readonly span: DashboardSpan
  readonly buckets: readonly TimeSpan[]
  readonly isStale: boolean
  readonly retry: (() => void) | null
  readonly onZoom: (span: TimeSpan) => void
  readonly openLog: (search: Readonly<Record<string, string | number>>) => void
}

interface UsageChartProps extends ChartProps {
  readonly points: readonly UsagePoint[] | undefined
  readonly metric: Metric
  readonly group: Group
  readonly groups: readonly Group[]
  readonly set: (change: { readonly metric?: Metric; readonly group?: Group }) => void
}

/** A metric over time, by one property. */
export function UsageChart({ points, metric, group, groups, set, span, buckets, openLog, ...rest }: UsageChartProps) {
  const t = useT()
  const money = useMoney()
  const { isAdmin } = useSession()
  const nameOf = useLineName(group)
  const lines = points && linesOf(points, buckets, metric)
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.usage')}
      tools={
        <>
          <Segments
            label={t('dashboard.metric')}
            value={metric}
            options={(isAdmin ? metrics : ownMetrics).map((value) => ({ value, label: metricName(value, isAdmin, t) }))}
            onChange={(value) => set({ metric: value })}
          />
          <Select
            size="sm"
            label={t('dashboard.group')}
            value={group}
            options={groups.map((value) => ({ value, label: t(`dashboard.group.${value}`) }))}
            onChange={(value) => set({ group: value })}
          />
        </>
      }
      data={lines && { buckets, isWhole: true, lines: chartLines(lines, { metric, buckets, nameOf }) }}
      words={{ ...bucketWords(span), valueText: (value) => metricText(value, metric, money) }}
      onOpen={(bucket, drawn) =>
        openLog({
          ...{ type: logType.consume, start: bucket.from, end: bucket.to - 1 },
          ...(metric === 'failures' && { outcome: 'failures' }),
          ...logSearchOf(lines?.find(({ key }) => key === drawn?.key) ?? null, group),
        })
      }
    />
  )
}
