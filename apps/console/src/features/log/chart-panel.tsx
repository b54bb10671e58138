import { logType } from '@sluice/contract'
import { BarChart3, ChevronDown, ChevronUp, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { Segments } from '../../ui/segments.tsx'
import { statusText } from '../../ui/status-badge.tsx'
import type { Bar, ChartSpan } from './chart-bars.ts'
import { ChartBars } from './chart-bars-view.tsx'
import { type ChartChoice, type ChartMetric, chartMetrics, isCounted, readChartChoice, writeChartChoice } from './chart-choice.ts'
import { ChartTable } from './chart-table.tsx'
import { useBarText } from './chart-text.ts'
import { logLooks } from './log-looks.ts'
import type { LogFilters, logFilters } from './log-search.ts'
import { useLogSeries } from './use-log-series.ts'

export interface ChartPanelProps {
  readonly filters: LogFilters
  readonly set: Filters<typeof logFilters>['set']
  readonly isLive: boolean
}

export function ChartPanel({ filters, set, isLive }: ChartPanelProps) {
  const t = useT()
  const [{ isShown, metric }, setChoice] = useState(readChartChoice)
  const [isTable, setTable] = useState(false)
  const series = useLogSeries(filters, { isEnabled: isShown && isCounted(filters), isLive })
  const choose = (choice: ChartChoice) => {
    writeChartChoice(choice)
    setChoice(choice)
  }
  const narrow = ({ from, to }: TimeSpan) => set({ start: from, end: to - 1, range: undefined })
  const isRendered = isShown && isCounted(filters)
  return (
    <section aria-label={t('log.chart')} className="mb-3 rounded-md border bg-surface px-3 py-2">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-sm font-medium text-muted">{t('log.chart')}</h2>
        {isRendered ? (
          <Segments
            label={t('log.chart.metric')}
            value={metric}
            options={chartMetrics.map((value) => ({ value, label: t(`log.chart.${value}`) }))}
            onChange={(value) => choose({ isShown, metric: value })}
          />
        ) : null}
        {/* On phones it has a line of its own, also before it is known, so that nothing moves then. */}
        {isRendered ? (
          <p className="text-xs text-muted tabular max-sm:order-last max-sm:min-h-4 max-sm:w-full">
            {series.data === undefined ? null : <Caption {...series.data} metric={metric} />}
          </p>
        ) : null}
        <span className="ml-auto flex">
          {isRendered ? <TableToggle isTable={isTable} onToggle={() => setTable(!isTable)} /> : null}
          <ShowToggle isShown={isShown} onToggle={() => choose({ isShown: !isShown, metric })} />
        </span>
      </div>
      {isShown ? (
        <div className={cx('mt-1 transition-opacity', isTable ? 'min-h-22' : 'h-22', series.isPlaceholderData && 'opacity-60 delay-150')}>
          {isCounted(filters) ? <Content {...{ series, metric, isTable, narrow }} /> : <Uncounted {...filters} />}
        </div>
      ) : null}
    </section>
  )
}

function ShowToggle({ isShown, onToggle }: { readonly isShown: boolean; readonly onToggle: () => void }) {
  const t = useT()
  const Icon = isShown ? ChevronUp : ChevronDown
  return (
    <IconButton label={t(isShown ? 'log.chart.hide' : 'log.chart.show')} aria-expanded={isShown} onClick={onToggle}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  )
}

function TableToggle({ isTable, onToggle }: { readonly isTable: boolean; readonly onToggle: () => void }) {
  const t = useT()
  const Icon = isTable ? BarChart3 : Table2
  return (
    <IconButton label={t(isTable ? 'log.chart.bars' : 'log.chart.table')} onClick={onToggle}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  )
}

/** The sums have requests only, and no single ones. */
function Uncounted({
  type = 0,
  request,
  outcome,
  error,
  duration,
}: Pick<LogFilters, 'type' | 'request' | 'outcome' | 'error' | 'duration'>) {
  const t = useT()
  if (request !== undefined) return <Notice text={t('log.chart.request')} />
  if (duration !== undefined && (type === logType.all || type === logType.consume)) return <Notice text={t('log.chart.duration')} />
  if ((outcome ?? error) !== undefined && (type === logType.all || type === logType.consume))
    return <Notice text={t('log.chart.outcome')} />
  return <Notice text={t('log.chart.type', { type: statusText(logLooks, type, t) })} />
}

interface ContentProps {
  readonly series: ReturnType<typeof useLogSeries>
  readonly metric: ChartMetric
  readonly isTable: boolean
  readonly narrow: (span: TimeSpan) => void
}

function Content({ series: { data, isError, isFetching, refetch }, metric, isTable, narrow }: ContentProps) {
  const t = useT()
  if (isError && data === undefined) {
    return (
      <Notice text={t('log.chart.error')}>
        <Button size="sm" isBusy={isFetching} onClick={() => void refetch()}>
          {t('action.retry')}
        </Button>
      </Notice>
    )
  }
  if (data === undefined) return <BarBones />
  if (data.bars.every(({ requests }) => requests === 0)) return <Notice text={t('log.chart.none')} />
  return isTable ? <ChartTable bars={data.bars} narrow={narrow} /> : <ChartBars {...data} metric={metric} narrow={narrow} />
}

const boneHeights = ['20%', '35%', '25%', '50%', '30%', '45%', '60%', '40%', '55%', '80%'] as const

function BarBones() {
  return (
    <div aria-hidden className="flex h-full items-end gap-1 pt-4 pb-5">
      {boneHeights.map((height) => (
        <span key={height} style={{ height }} className="flex-1 animate-late-pulse rounded-t-sm bg-grey-tint" />
      ))}
    </div>
  )
}

/** In place of the bars. */
function Notice({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div role="status" className="flex h-full flex-wrap items-center justify-center gap-3 text-sm text-muted">
      {text}
      {children}
    </div>
  )
}

interface CaptionProps {
  readonly span: ChartSpan
  readonly bars: readonly Bar[]
  readonly metric: ChartMetric
}

/** What a bar is, and the sum of all. */
function Caption({ span, bars, metric }: CaptionProps) {
  const { sizeText, sumText } = useBarText()
  const sum = (member: ChartMetric) => bars.reduce((total, bar) => total + bar[member], 0)
  return (
    <>
      {sizeText(span)} · {sumText({ requests: sum('requests'), quota: sum('quota') }, metric)}
    </>
  )
}
