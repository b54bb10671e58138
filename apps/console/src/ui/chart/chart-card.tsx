import { BarChart3, Download, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { fileName, saveFile } from '../../lib/download.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button, IconButton } from '../button.tsx'
import { BeforeMark } from './before-mark.tsx'
import { type ChartData, type ChartLine, type ChartWords, chartFile, lineSum, sumOf, type TimeSpan } from './chart-data.ts'
import { ChartGrid } from './chart-grid.tsx'
import { StackedBars, type StackedBarsProps } from './stacked-bars.tsx'

interface ChartCardProps {
  readonly title: string
  /** Beside the title; below it on a phone. */
  readonly tools?: ReactNode
  /** `undefined` = not loaded yet. */
  readonly data: ChartData | undefined
  readonly words: ChartWords
  readonly isStale: boolean
  /** Shown in place of an empty chart; without it, that nothing happened in this time. */
  readonly emptyText?: string | undefined
  /** Set when loading failed. */
  readonly retry: (() => void) | null
  readonly onZoom: (span: TimeSpan) => void
  readonly onOpen: (bucket: TimeSpan, line: ChartLine | null) => void
}

/** A chart with its table, its file, and a legend that hides lines. What was loaded stays while more is loaded. */
export function ChartCard({ title, tools, data, words, emptyText, isStale, retry, onZoom, onOpen }: ChartCardProps) {
  const t = useT()
  const [isTable, setTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const lines = data?.lines.filter(({ key }) => !hidden.has(key)) ?? []
  const isEmpty = [...(data?.lines ?? []), { values: data?.before ?? [] }].every(({ values }) => sumOf(values) === 0) && data !== undefined
  const toggle = (key: string) => {
    const next = new Set(hidden)
    if (!next.delete(key)) next.add(key)
    setHidden(next)
  }
  const save = () => {
    if (data === undefined) return
    const text = chartFile(data, { timeLabel: t('chart.time'), beforeLabel: t('chart.before'), bucketText: words.bucketText })
    saveFile(`${fileName(title)}.csv`, new Blob([text], { type: 'text/csv;charset=utf-8' }))
  }
  // What is compared with is the total of all lines.
  const before = lines.length === data?.lines.length ? data.before : undefined
  const bars = data === undefined ? null : { ...whole(data, before), lines, ...words, label: title, onOpen }
  return (
    <section aria-label={title} className="min-w-0 rounded-md border bg-surface p-4">
      <div className="mb-3 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="min-w-0 font-semibold max-sm:flex-1">{title}</h2>
        {/* On a phone the tools have lines of their own. */}
        <div className="contents max-sm:order-1 max-sm:flex max-sm:w-full max-sm:flex-wrap max-sm:gap-x-3 max-sm:gap-y-2 max-sm:empty:hidden">
          {tools}
        </div>
        <span className="ml-auto flex">
          <IconButton
            label={t(isTable ? 'chart.asBars' : 'chart.asTable', { name: title })}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? <BarChart3 aria-hidden className="size-4" /> : <Table2 aria-hidden className="size-4" />}
          </IconButton>
          <IconButton label={t('chart.save', { name: title })} disabled={bars === null || isEmpty} onClick={save}>
            <Download aria-hidden className="size-4" />
          </IconButton>
        </span>
      </div>
      <div className={cx('h-58 transition-opacity', isStale && 'opacity-60 delay-150')}>
        <Body {...{ bars, retry, isEmpty, emptyText, isTable, onZoom }} />
      </div>
      {/* A line of it has its place before it is known. */}
      <div className={cx('mt-3', !isEmpty && 'min-h-6.5 touch:min-h-11')}>
        {bars === null || isEmpty ? null : (
          <Legend {...{ lines: data?.lines ?? [], hidden, toggle, words, before, isRunning: data?.isRunning ?? false }} />
        )}
      </div>
    </section>
  )
}

function whole({ before: _, ...data }: ChartData, before: ChartData['before']): ChartData {
  return { ...data, ...(before !== undefined && { before }) }
}

interface BodyProps extends Pick<ChartCardProps, 'retry' | 'onZoom' | 'emptyText'> {
  /** `null` = not loaded yet. */
  readonly bars: Omit<StackedBarsProps, 'onZoom'> | null
  readonly isEmpty: boolean
  readonly isTable: boolean
}

function Body({ bars, retry, isEmpty, emptyText, isTable, onZoom }: BodyProps) {
  const t = useT()
  if (bars === null) {
    if (retry === null) return <Bones />
    return (
      <Note text={t('chart.failed')}>
        <Button size="sm" onClick={retry}>
          {t('action.retry')}
        </Button>
      </Note>
    )
  }
  if (isEmpty) return <Note text={emptyText ?? t('chart.empty')} />
  return isTable ? <ChartGrid {...bars} /> : <StackedBars {...bars} onZoom={onZoom} />
}

interface LegendProps {
  readonly lines: readonly ChartLine[]
  readonly hidden: ReadonlySet<string>
  readonly toggle: (key: string) => void
  readonly words: ChartWords
  readonly before: ChartData['before']
  readonly isRunning: boolean
}

/** Each line with its sum; a press hides it or shows it again. What the bars are compared with is beside them. */
function Legend({ lines, hidden, toggle, words, before, isRunning }: LegendProps) {
  const t = useT()
  return (
    <ul aria-label={t('chart.legend')} className="flex flex-wrap gap-x-1 gap-y-0.5 text-sm">
      {lines.map(({ key, label, dot, values }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            aria-pressed={!hidden.has(key)}
            title={t(hidden.has(key) ? 'chart.show' : 'chart.hide', { name: label })}
            onClick={() => toggle(key)}
            className={cx(
              'inline-flex h-6.5 max-w-full items-center gap-1.5 rounded-sm px-1.5 hover:bg-hover touch:h-11',
              hidden.has(key) && 'text-muted line-through',
            )}
          >
            <span aria-hidden className={cx('size-2 shrink-0 rounded-full', hidden.has(key) ? 'bg-line' : dot)} />
            <bdi className="max-w-80 truncate">{label}</bdi>
            <span className="text-muted tabular">{words.valueText(lineSum(values, isRunning))}</span>
          </button>
        </li>
      ))}
      {before === undefined ? null : (
        <li className="inline-flex h-6.5 items-center gap-1.5 px-1.5 touch:h-11">
          <BeforeMark />
          {t('chart.before')}
          <span className="text-muted tabular">{words.valueText(lineSum(before, isRunning))}</span>
        </li>
      )}
    </ul>
  )
}

const boneHeights = ['25%', '40%', '30%', '55%', '35%', '50%', '65%', '45%', '60%', '80%', '50%', '70%'] as const

function Bones() {
  return (
    <div aria-hidden className="flex h-full items-end gap-1.5 pb-5 pl-13">
      {boneHeights.map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <span key={index} style={{ height }} className="flex-1 animate-late-pulse rounded-t-sm bg-grey-tint" />
      ))}
    </div>
  )
}

/** In place of the bars. */
function Note({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div role="status" className="flex h-full flex-wrap items-center justify-center gap-3 text-sm text-muted">
      {text}
      {children}
    </div>
  )
}
