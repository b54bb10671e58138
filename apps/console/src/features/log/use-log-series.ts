import { log } from '@sluice/contract'
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { pointedFreshMs, prefetch, unreported } from '../../lib/preload.ts'
import { derivedOptions } from '../../lib/reads.ts'
import { isAdmin, useSession } from '../../lib/session.ts'
import { type Bar, barsOf, type ChartSpan, chartSpan, fittedSpan } from './chart-bars.ts'
import { isCounted, readChartChoice } from './chart-choice.ts'
import type { LogFilters } from './log-search.ts'

interface LogSeries {
  readonly span: ChartSpan
  readonly bars: readonly Bar[]
}

/** How often the chart of a watched log is read again. */
const watchedMs = 30_000

/** The call that the chart is made of. */
export const seriesEndpoint = (seesAll: boolean) => (seesAll ? log.series : log.seriesSelf)

function seriesQuery({ type: _, request: __, outcome: ___, duration: ____, ...filters }: LogFilters, seesAll: boolean) {
  const options = derivedOptions(seriesEndpoint(seesAll), ['bars', filters], async ({ signal }): Promise<LogSeries> => {
    const span = chartSpan(filters, Math.floor(Date.now() / 1000))
    const input = {
      ...{ start_timestamp: span.from, end_timestamp: span.to - 1, bucket: span.bucket },
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...{ token_name: filters.token ?? '', model_name: filters.model ?? '' },
    }
    const points = seesAll
      ? await call(log.series, { ...input, username: filters.user ?? '', channel: filters.channel ?? 0 }, { signal })
      : await call(log.seriesSelf, input, { signal })
    const fitted = fittedSpan(span, filters, points)
    return { span: fitted, bars: barsOf(fitted, points) }
  })
  // The chart shows a failure itself.
  return { ...options, staleTime: pointedFreshMs, ...unreported }
}

/** Usage over the chosen time. The rows are not counted for it: the server keeps sums by the hour. */
export function useLogSeries(filters: LogFilters, { isEnabled, isLive }: { isEnabled: boolean; isLive: boolean }) {
  const { isAdmin: seesAll } = useSession()
  return useQuery({
    ...seriesQuery(filters, seesAll),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? watchedMs : false,
  })
}

/** Starts the call for the chart, if it will be shown. */
export function startSeries(client: QueryClient, filters: LogFilters): void {
  if (readChartChoice().isShown && isCounted(filters)) prefetch(client, seriesQuery(filters, isAdmin()))
}
