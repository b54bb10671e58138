import { logType, type SeriesLineCount } from '@sluice/contract'
import { useSession } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button } from '../../ui/button.tsx'
import { ChartCard } from '../../ui/chart/chart-card.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { type Group, type Metric, metrics, ownMetrics } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'
import { bucketWords, metricName, metricText } from './dashboard-words.ts'
import { lineCounts, usualLineCount } from './line-counts.ts'
import { bucketTotals, chartLines, linesOf, logSearchOf, marginOf, runningSums, totalsOf, type UsagePoint } from './usage-lines.ts'
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
  /** How many names have a line of their own. */
  readonly lineCount: SeriesLineCount
  /** The usage of the previous period with its buckets; `undefined` = the bars are not compared with it, or it is not loaded yet. */
  readonly before: { readonly points: readonly UsagePoint[]; readonly buckets: readonly TimeSpan[] } | undefined
  readonly isCompared: boolean
  /** Each bar has everything up to its end. */
  readonly isRunning: boolean
  readonly set: (change: UsageChoice) => void
}

interface UsageChoice {
  readonly metric?: Metric
  readonly group?: Group
  readonly lines?: SeriesLineCount | undefined
  readonly compare?: 'before' | undefined
  readonly sum?: 'running' | undefined
}

/** A metric over time, by one property. */
export function UsageChart(props: UsageChartProps) {
  const { points, metric, group, groups, lineCount, before, isCompared, isRunning, set, span, buckets, openLog, ...rest } = props
  const t = useT()
  const money = useMoney()
  const nameOf = useLineName(group)
  const lines = points && linesOf(points, buckets, metric)
  const values = (each: readonly number[]) => (isRunning ? runningSums(each) : each)
  const rendered = lines && chartLines(lines, { metric, buckets, nameOf }).map((line) => ({ ...line, values: values(line.values) }))
  const compared = before && values(bucketTotals(before.points, before.buckets, metric).slice(0, buckets.length))
  const isCostUnknown = metric === 'cost' && points !== undefined && points.length > 0 && marginOf(totalsOf(points)) === null
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.usage')}
      tools={<Tools {...{ metric, group, groups, lineCount, isCompared, isRunning, set }} />}
      data={rendered && { buckets, isWhole: true, isRunning, lines: rendered, ...(compared && { before: compared }) }}
      emptyText={isCostUnknown ? t('dashboard.cost.unknown.hint') : undefined}
      words={{ ...bucketWords(span), valueText: (value) => metricText(value, metric, money) }}
      onOpen={(bucket, part) =>
        openLog({
          ...{ type: logType.consume, start: isRunning ? span.from : bucket.from, end: bucket.to - 1 },
          ...(metric === 'failures' && { outcome: 'failures' }),
          ...logSearchOf(lines?.find(({ key }) => key === part?.key) ?? null, group),
        })
      }
    />
  )
}

type ToolsProps = Pick<UsageChartProps, 'metric' | 'group' | 'groups' | 'lineCount' | 'isCompared' | 'isRunning' | 'set'>

function Tools({ metric, group, groups, lineCount, isCompared, isRunning, set }: ToolsProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const isPhone = useIsPhone()
  const choice = {
    label: t('dashboard.metric'),
    value: metric,
    options: (isAdmin ? metrics : ownMetrics).map((value) => ({ value, label: metricName(value, isAdmin, t) })),
    onChange: (value: Metric) => set({ metric: value }),
  }
  return (
    <>
      {/* Side by side, some of them would be out of sight on a phone. */}
      {isPhone ? <Select size="sm" hidesLabelOnPhones {...choice} /> : <Segments {...choice} />}
      <Select
        size="sm"
        label={t('dashboard.group')}
        value={group}
        options={groups.map((value) => ({ value, label: t(`dashboard.group.${value}`) }))}
        onChange={(value) => set({ group: value })}
      />
      <Select
        size="sm"
        label={t('dashboard.lines')}
        value={lineCount}
        options={lineCounts.map((value) => ({ value, label: String(value) }))}
        onChange={(value) => set({ lines: value === usualLineCount ? undefined : value })}
      />
      <Toggle label={t('dashboard.compare')} isOn={isCompared} onChange={(isOn) => set({ compare: isOn ? 'before' : undefined })} />
      <Toggle label={t('dashboard.running')} isOn={isRunning} onChange={(isOn) => set({ sum: isOn ? 'running' : undefined })} />
    </>
  )
}

interface ToggleProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Toggle({ label, isOn, onChange }: ToggleProps) {
  return (
    <Button
      size="sm"
      aria-pressed={isOn}
      className={cx(isOn && 'border-accent! bg-accent-tint! text-accent!')}
      onClick={() => onChange(!isOn)}
    >
      {label}
    </Button>
  )
}
