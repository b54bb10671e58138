import { channel, log } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { type Filters, useFilters } from '../../lib/filters.ts'
import { refetchNoun } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { Breakdown } from './breakdown.tsx'
import { Cards } from './cards.tsx'
import {
  type DashboardFilters,
  dashboardFilters,
  defaultRange,
  metrics,
  ownMetrics,
  rangeDays,
  ranges,
  withoutConflict,
} from './dashboard-search.ts'
import { bucketsOf, type DashboardSpan } from './dashboard-span.ts'
import { type DashboardView, viewOf } from './dashboard-view.ts'
import { bucketWords } from './dashboard-words.ts'
import { DurationChart, EndChart } from './time-charts.tsx'
import { TokenChart } from './token-chart.tsx'
import { UsageChart } from './usage-chart.tsx'
import { preload, useTimes, useUsage } from './use-dashboard.ts'

export { preload }

/** What is chosen with these is read from the address without them. */
const DashboardLimitBar = lazy(async () => ({ default: (await import('./dashboard-limits.tsx')).DashboardLimitBar }))
const TimeChoice = lazy(async () => ({ default: (await import('./time-choice.tsx')).TimeChoice }))
/** Below all charts, so nothing moves when it comes. */
const HealthBoard = lazy(async () => ({ default: (await import('./health-board.tsx')).HealthBoard }))
const SavedViews = lazy(async () => ({ default: (await import('../../ui/table/saved-views.tsx')).SavedViews }))

/** Usage, durations and failures over time: of everybody for administrators, otherwise one's own. */
export function DashboardPage() {
  const t = useT()
  const { isAdmin } = useSession()
  const isPhone = useIsPhone()
  const { values, set: change } = useFilters(dashboardFilters)
  const filters = withoutConflict(values)
  const { nowSeconds, refresh } = useNow()
  const key = JSON.stringify(filters)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says whether the filters changed
  const view = useMemo(() => viewOf(filters, isAdmin, nowSeconds), [key, isAdmin, nowSeconds])
  return (
    <Page
      title={t('dashboard.title')}
      lead={t(isAdmin ? 'dashboard.lead' : 'dashboard.lead.own')}
      action={isPhone ? <ViewTools refresh={refresh} /> : undefined}
    >
      <Tools {...{ filters, view, change }}>{isPhone ? null : <ViewTools refresh={refresh} />}</Tools>
      <Charts {...{ filters, view, change }} />
      {isAdmin ? (
        <Suspense>
          <HealthBoard />
        </Suspense>
      ) : null}
    </Page>
  )
}

/** How often a page that is looked at is read again. */
const freshMs = 60_000

const readNow = (): number => Math.floor(Date.now() / 1000)

/** The time at which the page was read last. */
function useNow() {
  const client = useQueryClient()
  const [nowSeconds, setNow] = useState(readNow)
  const refresh = useCallback(() => {
    setNow(readNow())
    // Spans are of whole hours, so the reads of an hour are the same ones.
    for (const endpoint of [log.series, channel.list]) void refetchNoun(client, endpoint)
  }, [client])
  useEffect(() => {
    const timer = setInterval(() => (document.hidden ? undefined : refresh()), freshMs)
    return () => clearInterval(timer)
  }, [refresh])
  return { nowSeconds, refresh }
}

interface ViewProps {
  readonly filters: DashboardFilters
  readonly view: DashboardView
  readonly change: Filters<typeof dashboardFilters>['set']
}

/** Saved views and a new reading: beside the title on phones, where the tools have room for two lines. */
function ViewTools({ refresh }: { readonly refresh: () => void }) {
  const t = useT()
  return (
    <span className="ml-auto flex items-center gap-1">
      <Suspense fallback={<span className="h-7 w-20 max-sm:w-8 touch:h-11" />}>
        <SavedViews list="dashboard" />
      </Suspense>
      <IconButton label={t('action.refresh')} onClick={refresh}>
        <RefreshCw aria-hidden className="size-4" />
      </IconButton>
    </span>
  )
}

function Tools({ filters, view: { limits, span }, change, children }: ViewProps & { readonly children: ReactNode }) {
  const t = useT()
  const isChosen = filters.start !== undefined
  return (
    <div data-list-tools className="mb-4 flex flex-wrap items-center gap-2 max-sm:gap-1.5">
      <Segments
        label={t('dashboard.range')}
        value={isChosen ? null : (filters.range ?? defaultRange)}
        options={ranges.map((value) => ({ value, label: t(`dashboard.range.${value}`) }))}
        onChange={(value) => change({ range: value === defaultRange ? undefined : value, start: undefined, end: undefined, by: undefined })}
      />
      {isChosen ? <Chosen span={span} change={change} /> : null}
      <Select
        size="sm"
        label={t('dashboard.by')}
        hidesLabelOnPhones
        value={span.bucket}
        options={(['hour', 'day'] as const).map((value) => ({ value, label: t(`dashboard.by.${value}`) }))}
        onChange={(by) => change({ by })}
      />
      <Suspense fallback={<span className="h-7 w-44 max-sm:w-38 touch:h-11" />}>
        <TimeChoice span={span} isOwn={filters.zone === undefined} change={change} />
      </Suspense>
      <Suspense fallback={<span className="h-7 w-20 touch:h-11" />}>
        <DashboardLimitBar limits={limits} change={change} />
      </Suspense>
      {children}
    </div>
  )
}

/** The time that was dragged over, and the way back. */
function Chosen({ span, change }: { readonly span: DashboardSpan; readonly change: ViewProps['change'] }) {
  const t = useT()
  const { bucketText } = bucketWords({ ...span, bucket: 'hour' })
  const [start, end] = [bucketText(span).slice(0, 16), bucketText({ from: span.to, to: span.to }).slice(0, 16)]
  return (
    <Button size="sm" look="quiet" className="max-sm:order-1" onClick={() => change({ start: undefined, end: undefined })}>
      {t('dashboard.chosen', { start, end })}
    </Button>
  )
}

function Charts({ filters, view, change }: ViewProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const navigate = useNavigate()
  const { span, before, limits, group, groups: known, lineCount } = view
  const metric = (isAdmin ? metrics : ownMetrics).find((one) => one === filters.metric) ?? 'requests'
  const [usage, usageBefore] = [useUsage({ span, limits, group, lines: lineCount }), useUsage({ span: before, limits, group: '' })]
  const [times, timesBefore] = [useTimes(span, limits), useTimes(before, limits)]
  const isCompared = filters.compare !== undefined
  const buckets = useMemo(() => bucketsOf(span), [span])
  const bucketsBefore = useMemo(() => bucketsOf(before), [before])
  const shared = {
    ...{ span, buckets },
    onZoom: ({ from, to }: TimeSpan) => change({ start: from, end: to, range: undefined, by: undefined }),
    openLog: (search: Readonly<Record<string, string | number>>) => void navigate({ to: '/log', search: { ...limits, ...search } }),
  }
  const ofTimes = { ...shared, times: times.data, ...stateOf(times) }
  return (
    <>
      <Cards
        now={{ points: knownOf(usage), times: knownOf(times) }}
        before={{ points: knownOf(usageBefore), times: knownOf(timesBefore) }}
        since={sinceText(filters, t)}
      />
      <UsageChart
        {...shared}
        {...stateOf(usage)}
        {...{
          points: usage.data,
          metric,
          group,
          groups: known,
          lineCount,
          isCompared,
          isRunning: filters.sum !== undefined,
          set: change,
        }}
        before={isCompared && usageBefore.data !== undefined ? { points: usageBefore.data, buckets: bucketsBefore } : undefined}
      />
      {times.isCounted ? (
        <div className="mt-4 grid gap-4 xl:grid-cols-2">
          <TokenChart {...shared} {...stateOf(usage)} points={usage.data} />
          <DurationChart {...ofTimes} />
          <div className="min-w-0 xl:col-span-2">
            <EndChart {...ofTimes} />
          </div>
        </div>
      ) : (
        <>
          <div className="mt-4">
            <TokenChart {...shared} {...stateOf(usage)} points={usage.data} />
          </div>
          <p className="mt-4 rounded-md border bg-surface p-4 text-sm text-muted">
            {t(isAdmin ? 'dashboard.times.none' : 'dashboard.times.none.own')}
          </p>
        </>
      )}
      {/* Below the charts, which it would move while it is loaded. */}
      <Breakdown {...{ points: usage.data ?? [], span, buckets, metric, group, limits }} setLimit={(limit) => change(limit)} />
    </>
  )
}

interface Query {
  readonly isError: boolean
  readonly isPlaceholderData: boolean
  readonly refetch: () => unknown
}

function stateOf({ isError, isPlaceholderData, refetch }: Query) {
  return { isStale: isPlaceholderData, retry: isError ? () => void refetch() : null }
}

interface Loaded<Data> {
  readonly data: Data | undefined
  readonly isError: boolean
  readonly isCounted?: boolean
}

/** `null` = could not be loaded, or is not counted. */
const knownOf = <Data,>({ data, isError, isCounted = true }: Loaded<Data>) => (isCounted ? (data ?? (isError ? null : undefined)) : null)

function sinceText({ range = defaultRange, start }: DashboardFilters, t: ReturnType<typeof useT>): string {
  if (start !== undefined) return t('dashboard.since.chosen')
  if (range === 'today' || range === 'month') return t(`dashboard.since.${range}`)
  return t('dashboard.since', { count: rangeDays[range] })
}
