import { useT } from '../../lib/t.ts'
import { type ChartData, type ChartLine, type ChartWords, sumOf, type TimeSpan, totalAt, valueAt } from './chart-data.ts'

interface ChartGridProps extends ChartData, ChartWords {
  readonly label: string
  readonly onOpen: (bucket: TimeSpan, line: ChartLine | null) => void
}

const cell = 'h-7 px-3 text-right whitespace-nowrap tabular touch:h-11'

/** The chart's bars as a table, newest first and without empty ones. */
export function ChartGrid({ label, buckets, lines, before, valueText, bucketText, onOpen }: ChartGridProps) {
  const t = useT()
  const visibleLines = lines.filter(({ values }) => sumOf(values) > 0)
  const filled = buckets
    .map((bucket, index) => ({ bucket, index }))
    .filter(({ index }) => totalAt(visibleLines, index) > 0 || (before?.[index] ?? 0) > 0)
  return (
    <section
      aria-label={t('list.region', { name: label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="h-full overflow-auto thin-scroll"
    >
      <table className="text-sm">
        <caption className="sr-only">{label}</caption>
        <thead className="text-xs font-medium text-muted">
          <tr>
            <th scope="col" className={`${cell} sticky top-0 left-0 z-10 bg-surface pl-0! text-left! font-medium`}>
              {t('chart.time')}
            </th>
            <th scope="col" className={`${cell} sticky top-0 bg-surface font-medium`}>
              {t('chart.total')}
            </th>
            {before === undefined ? null : (
              <th scope="col" className={`${cell} sticky top-0 bg-surface font-medium`}>
                {t('chart.before')}
              </th>
            )}
            {visibleLines.map((line) => (
              <th key={line.key} scope="col" className={`${cell} sticky top-0 max-w-40 truncate bg-surface font-medium`} title={line.label}>
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {filled.reverse().map(({ bucket, index }) => (
            <tr key={bucket.from}>
              <th scope="row" className={`${cell} sticky left-0 bg-surface pl-0! text-left! font-normal`}>
                <button
                  type="button"
                  aria-label={t('chart.open', { time: bucketText(bucket) })}
                  onClick={() => onOpen(bucket, null)}
                  className="rounded-sm text-accent hover:underline"
                >
                  {bucketText(bucket)}
                </button>
              </th>
              <td className={cell}>{valueText(totalAt(visibleLines, index))}</td>
              {before === undefined ? null : <td className={`${cell} text-muted`}>{valueText(before[index] ?? 0)}</td>}
              {visibleLines.map((line) => (
                <td key={line.key} className={cell}>
                  {valueAt(line, index) === 0 ? '' : valueText(valueAt(line, index))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
