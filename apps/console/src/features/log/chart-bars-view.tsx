import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { useBrush } from '../../ui/chart/use-brush.ts'
import type { Bar, ChartSpan } from './chart-bars.ts'
import type { ChartMetric } from './chart-choice.ts'
import { useBarText } from './chart-text.ts'

interface ChartBarsProps {
  readonly span: ChartSpan
  readonly bars: readonly Bar[]
  readonly metric: ChartMetric
  readonly narrow: (span: TimeSpan) => void
}

/** Heights are parts of this. */
const full = 100

/** Bars in a drawing of our own. A click on one, or a drag over several, chooses their time; the fields of the time do the same by keyboard. */
export function ChartBars({ span, bars, metric, narrow }: ChartBarsProps) {
  const t = useT()
  const { timeText, valueText, barText } = useBarText()
  const { pointed, brush, handlers } = useBrush({
    count: bars.length,
    onPick({ first, last }) {
      const [from, to] = [bars[first], bars[last]]
      if (from !== undefined && to !== undefined) narrow({ from: from.from, to: to.to })
    },
  })
  const most = bars.reduce((high, bar) => (bar[metric] > high[metric] ? bar : high))
  const scale = full / Math.max(1, most[metric])
  const activeBar = pointed === null ? undefined : bars[pointed]
  const [first, last] = [bars[0], bars.at(-1)]
  if (first === undefined || last === undefined) return null
  const [start, end] = [timeText(first.from, span), timeText(span.bucket === 'day' ? last.to - 1 : last.to, span)]
  return (
    <figure className="relative flex h-full flex-col" title={t('log.chart.drag')}>
      <svg
        role="img"
        aria-label={t('log.chart.describe', {
          ...{ metric: t(`log.chart.${metric}`), start, end, most: valueText(most, metric), time: timeText(most.from, span) },
        })}
        viewBox={`0 0 ${bars.length} ${full}`}
        preserveAspectRatio="none"
        className="min-h-0 w-full flex-1 cursor-crosshair touch-pan-y border-b select-none"
        {...handlers}
      >
        {brush === null ? null : (
          <rect x={brush.first} width={brush.last - brush.first + 1} y={0} height={full} className="fill-accent-tint" />
        )}
        {bars.map((bar, index) => (
          <g key={bar.from} className={cx(isFaint(bar, span) && 'opacity-40', index === pointed && brush === null && 'opacity-75')}>
            <rect {...place(index)} y={full - bar[metric] * scale} height={bar[metric] * scale} className="fill-accent opacity-85" />
            {metric === 'requests' && bar.failures > 0 ? (
              <rect {...place(index)} y={full - bar.failures * scale} height={bar.failures * scale} className="fill-red" />
            ) : null}
          </g>
        ))}
      </svg>
      <figcaption aria-hidden className="flex h-5 items-end justify-between gap-2 text-xs text-muted tabular">
        <span className={cx(activeBar !== undefined && 'max-sm:hidden')}>{start}</span>
        {activeBar === undefined ? null : <span className="truncate font-medium text-text">{barText(activeBar, metric)}</span>}
        <span className={cx(activeBar !== undefined && 'max-sm:hidden')}>{end}</span>
      </figcaption>
      <span aria-hidden className="pointer-events-none absolute top-0 left-0 bg-surface/80 pr-1 text-xs text-muted tabular">
        {valueText(most, metric)}
      </span>
    </figure>
  )
}

/** A gap between bars. */
const place = (index: number) => ({ x: index + 0.1, width: 0.8 })

/** Outside of the chosen time. */
function isFaint({ from, to }: Bar, { chosen }: ChartSpan): boolean {
  return chosen !== null && (to <= chosen.from || from >= chosen.to)
}
