import { log } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { madeOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { type Bar, barsOf, type ChartSpan, chartSpan, fittedSpan } from './chart-bars.ts'
import type { LogFilters } from './log-search.ts'

interface LogSeries {
  readonly span: ChartSpan
  readonly bars: readonly Bar[]
}

/** How often the chart of a watched log is read again. */
const watchedMs = 30_000

/** The call that the chart is made of. */
export const seriesEndpoint = (isAdmin: boolean) => (isAdmin ? log.series : log.seriesSelf)

/** Usage over the chosen time. The rows are not counted for it: the server keeps sums by the hour. */
export function useLogSeries(
  { type: _, request: __, outcome: ___, duration: ____, ...filters }: LogFilters,
  { isEnabled, isLive }: { isEnabled: boolean; isLive: boolean },
) {
  const { isAdmin } = useSession()
  return useQuery({
    ...madeOptions(seriesEndpoint(isAdmin), ['bars', filters], async ({ signal }): Promise<LogSeries> => {
      const span = chartSpan(filters, Math.floor(Date.now() / 1000))
      const input = {
        ...{ start_timestamp: span.from, end_timestamp: span.to - 1, bucket: span.bucket },
        zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...{ token_name: filters.token ?? '', model_name: filters.model ?? '' },
      }
      const points = isAdmin
        ? await call(log.series, { ...input, username: filters.user ?? '', channel: filters.channel ?? 0 }, { signal })
        : await call(log.seriesSelf, input, { signal })
      const fitted = fittedSpan(span, filters, points)
      return { span: fitted, bars: barsOf(fitted, points) }
    }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? watchedMs : false,
    // The chart shows the failure.
    meta: { failure: 'silent' },
  })
}
