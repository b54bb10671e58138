import { exactQuota, formatQuota, group } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import type { Bar } from './chart-bars.ts'
import { useBarText } from './chart-text.ts'

interface ChartTableProps {
  readonly bars: readonly Bar[]
  readonly narrow: (span: TimeSpan) => void
}

const cell = 'h-7 px-3 text-right tabular first:pl-0 first:text-left touch:h-11'

/** The chart's bars as a table, newest first and without empty ones. */
export function ChartTable({ bars, narrow }: ChartTableProps) {
  const t = useT()
  const money = useMoney()
  const { spanText } = useBarText()
  const filled = bars.filter(({ requests }) => requests > 0).reverse()
  return (
    <section
      aria-label={t('list.region', { name: t('log.chart') })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="max-h-60 overflow-auto thin-scroll"
    >
      <table className="text-sm">
        <caption className="sr-only">{t('log.chart')}</caption>
        <thead className="text-xs font-medium text-muted">
          <tr>
            {(['time', 'requests', 'failures', 'quota'] as const).map((name) => (
              <th key={name} scope="col" className={`${cell} sticky top-0 bg-surface font-medium`}>
                {t(`log.chart.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.map((bar) => (
            <tr key={bar.from}>
              <th scope="row" className={`${cell} font-normal`}>
                <button
                  type="button"
                  aria-label={t('log.chart.only', { time: spanText(bar) })}
                  onClick={() => narrow(bar)}
                  className="rounded-sm text-accent hover:underline"
                >
                  {spanText(bar)}
                </button>
              </th>
              <td className={cell}>{group(bar.requests)}</td>
              <td className={cell}>{bar.failures === 0 ? '' : group(bar.failures)}</td>
              <td className={cell} title={exactQuota(bar.quota, money)}>
                {formatQuota(bar.quota, money)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
