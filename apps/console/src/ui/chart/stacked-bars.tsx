import { type KeyboardEvent, useState } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { DataText } from '../data-text.tsx'
import { axisTimes } from './axis-times.ts'
import { BeforeMark } from './before-mark.tsx'
import { type ChartData, type ChartLine, type ChartWords, lineAt, type TimeSpan, totalAt, valueAt } from './chart-data.ts'
import { nextBar } from './next-bar.ts'
import { type Scale, scaleOf, tickText } from './scale.ts'
import { useBrush } from './use-brush.ts'

export interface StackedBarsProps extends ChartData, ChartWords {
  readonly label: string
  /** Called with the time that was dragged over. */
  readonly onZoom: (span: TimeSpan) => void
  /** Called with the bar that was pressed, and its part; `null` = the bar as a whole. */
  readonly onOpen: (bucket: TimeSpan, line: ChartLine | null) => void
}

/**
 * Bars of parts, in a drawing of our own. A press on a bar opens it and a drag over several chooses their time; arrow keys move from bar to
 * bar, and Enter opens one.
 */
export function StackedBars(props: StackedBarsProps) {
  const { label, buckets, lines, isWhole, before = none, onZoom, onOpen } = props
  const t = useT()
  const scale = scaleOf(Math.max(0, ...before, ...buckets.map((_, index) => totalAt(lines, index))), isWhole)
  const { pointed, setPointed, brush, handlers } = useBrush({
    count: buckets.length,
    onPick({ first, last, height }) {
      const [from, to] = [buckets[first], buckets[last]]
      if (from === undefined || to === undefined) return
      if (first === last) onOpen(from, lineAt(lines, first, height * scale.max))
      else onZoom({ from: from.from, to: to.to })
    },
  })
  const [isByKey, setByKey] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextBar(event.key, pointed, buckets.length)
    const bucket = pointed === null ? undefined : buckets[pointed]
    if (next !== null) {
      setByKey(true)
      setPointed(next)
    } else if (event.key === 'Enter' && bucket !== undefined) onOpen(bucket, null)
    else if (event.key === 'Escape') setPointed(null)
    else return
    event.preventDefault()
  }
  const activeBucket = pointed === null || brush !== null ? undefined : buckets[pointed]
  return (
    // biome-ignore lint/a11y/useSemanticElements: a field set is for fields of a form
    <div
      role="group"
      aria-label={t('chart.keys', { label })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from bar to bar
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setPointed(null)}
      className="relative flex h-full flex-col rounded-sm pt-2"
    >
      <div className="relative min-h-0 flex-1">
        <Grid scale={scale} valueText={props.valueText} />
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${buckets.length} ${scale.max}`}
          preserveAspectRatio="none"
          className="absolute inset-y-0 right-0 left-13 h-full w-[calc(100%-52px)] cursor-crosshair touch-pan-y select-none"
          {...handlers}
          onPointerMove={(event) => {
            setByKey(false)
            handlers.onPointerMove(event)
          }}
        >
          {brush === null ? null : (
            <rect x={brush.first} width={brush.last - brush.first + 1} y={0} height={scale.max} className="fill-accent-tint" />
          )}
          {activeBucket === undefined || pointed === null ? null : (
            <rect x={pointed} width={1} y={0} height={scale.max} className="fill-hover" />
          )}
          {buckets.map((bucket, index) => (
            <Bar key={bucket.from} lines={lines} index={index} max={scale.max} />
          ))}
          <Before values={before} max={scale.max} />
        </svg>
        {activeBucket === undefined || pointed === null ? null : <Details {...props} bucket={activeBucket} index={pointed} />}
      </div>
      <Times {...props} />
      <span aria-live="polite" className="sr-only">
        {isByKey && activeBucket !== undefined && pointed !== null ? detailText(props, { bucket: activeBucket, index: pointed, t }) : ''}
      </span>
    </div>
  )
}

const none: readonly number[] = []

/** A step for each bucket, as high as the bar that it is compared with. */
function Before({ values, max }: { readonly values: readonly number[]; readonly max: number }) {
  if (values.length === 0) return null
  const steps = values.map((value, index) => `${index === 0 ? 'M0 ' : 'V'}${max - value} H${index + 1}`)
  return (
    <path
      d={steps.join(' ')}
      vectorEffect="non-scaling-stroke"
      strokeWidth={1.5}
      strokeDasharray="4 3"
      className="pointer-events-none fill-none stroke-text"
    />
  )
}

function Bar({ lines, index, max }: { readonly lines: readonly ChartLine[]; readonly index: number; readonly max: number }) {
  let below = 0
  return lines.map((line) => {
    const value = valueAt(line, index)
    if (value === 0) return null
    below += value
    return <rect key={line.key} x={index + 0.1} width={0.8} y={max - below} height={value} className={line.fill} />
  })
}

function Grid({ scale: { max, ticks }, valueText }: { readonly scale: Scale } & Pick<ChartWords, 'valueText'>) {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0 text-xs text-muted tabular">
      {ticks.map((tick) => (
        <div key={tick} className="absolute inset-x-0 flex translate-y-1/2 items-center" style={{ bottom: `${(tick / max) * 100}%` }}>
          <span className="w-12 truncate pr-1.5 text-right leading-none">{tickText(valueText(tick))}</span>
          <span className="ml-1 h-px flex-1 bg-line" />
        </div>
      ))}
    </div>
  )
}

function Times({ buckets, axisText }: StackedBarsProps) {
  const labelled = axisTimes(buckets.length)
  return (
    <div aria-hidden className="relative mt-1 ml-13 h-4 overflow-hidden text-xs text-muted tabular">
      {buckets.map((bucket, index) =>
        labelled.includes(index) ? (
          <span key={bucket.from} className="absolute whitespace-nowrap" style={{ left: `${(index / buckets.length) * 100}%` }}>
            {axisText(bucket)}
          </span>
        ) : null,
      )}
    </div>
  )
}

/** Parts that are named beside the bar. */
const partsMax = 8

function partsOf(lines: readonly ChartLine[], index: number): readonly ChartLine[] {
  return lines.filter((line) => valueAt(line, index) > 0).sort((one, other) => valueAt(other, index) - valueAt(one, index))
}

interface DetailProps extends StackedBarsProps {
  readonly bucket: TimeSpan
  readonly index: number
}

function Details({ bucket, index, buckets, lines, before, valueText, bucketText }: DetailProps) {
  const t = useT()
  const parts = partsOf(lines, index)
  const place = (index + 0.5) / buckets.length
  return (
    <div
      aria-hidden
      className={cx(
        'pointer-events-none absolute top-0 z-20 max-w-72 min-w-44 rounded-sm border bg-surface px-2.5 py-2 text-xs shadow-float',
        place > 0.5 ? '-translate-x-[calc(100%+10px)]' : 'translate-x-2.5',
      )}
      style={{ left: `calc(52px + (100% - 52px) * ${place})` }}
    >
      <p className="mb-1 flex justify-between gap-4 font-medium tabular">
        <span>{bucketText(bucket)}</span>
        <span>{valueText(totalAt(lines, index))}</span>
      </p>
      {parts.slice(0, partsMax).map((line) => (
        <p key={line.key} className="flex items-center gap-1.5 tabular">
          <span className={cx('size-2 shrink-0 rounded-full', line.dot)} />
          <DataText text={line.label} className="min-w-0 flex-1 text-muted" />
          <span>{valueText(valueAt(line, index))}</span>
        </p>
      ))}
      {parts.length > partsMax ? <p className="text-muted">{t('chart.further', { count: parts.length - partsMax })}</p> : null}
      {before === undefined ? null : (
        <p className="mt-1 flex items-center gap-1.5 border-t pt-1 tabular">
          <BeforeMark />
          <span className="flex-1 text-muted">{t('chart.before')}</span>
          <span>{valueText(before[index] ?? 0)}</span>
        </p>
      )}
    </div>
  )
}

interface Detail {
  readonly bucket: TimeSpan
  readonly index: number
  readonly t: Translate
}

function detailText({ lines, before, valueText, bucketText }: StackedBarsProps, { bucket, index, t }: Detail): string {
  const parts = partsOf(lines, index).map((line) => `${line.label} ${valueText(valueAt(line, index))}`)
  const compared = before === undefined ? [] : [`${t('chart.before')} ${valueText(before[index] ?? 0)}`]
  return [bucketText(bucket), valueText(totalAt(lines, index)), ...parts.slice(0, partsMax), ...compared].join(', ')
}
