import { abbreviate, formatQuota } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import type { Bar, ChartSpan } from './chart-bars.ts'
import type { ChartMetric } from './chart-choice.ts'

/** Texts about bars. */
export function useBarText() {
  const t = useT()
  const money = useMoney()
  /** A time without its seconds, or a day. */
  const timeText = (at: number, { bucket }: Pick<ChartSpan, 'bucket'>) => formatTime(at).slice(0, bucket === 'day' ? 10 : 16)
  const spanText = ({ from, to }: Bar) => {
    const [start, end] = [formatTime(from), formatTime(to)]
    const isDay = start.endsWith('00:00:00') && end.endsWith('00:00:00')
    if (isDay)
      return to - from < 100_000
        ? start.slice(0, 10)
        : t('log.chart.span', { start: start.slice(0, 10), end: formatTime(to - 1).slice(0, 10) })
    const isSameDay = start.slice(0, 10) === formatTime(to - 1).slice(0, 10)
    return `${start.slice(0, 16)}–${isSameDay ? end.slice(11, 16) : end.slice(0, 16)}`
  }
  /** A total in words. Quota is shown only where it is requested, like the total of the log. */
  const sumText = ({ requests, quota }: Pick<Bar, ChartMetric>, metric: ChartMetric) =>
    metric === 'quota' ? formatQuota(quota, money) : t('log.chart.sum', { count: abbreviate(requests) })
  return {
    timeText,
    spanText,
    sumText,
    valueText: (bar: Bar, metric: ChartMetric) => (metric === 'quota' ? formatQuota(bar.quota, money) : abbreviate(bar.requests)),
    /** A bar in words. */
    barText: (bar: Bar, metric: ChartMetric) => {
      const failed = bar.failures === 0 ? [] : [t('log.chart.failed.count', { count: bar.failures })]
      return [spanText(bar), sumText(bar, metric), ...failed].join(' · ')
    },
    sizeText: ({ bucket, step }: ChartSpan) => t(step === 1 ? `log.chart.${bucket}` : `log.chart.${bucket}s`, { count: step }),
  }
}
