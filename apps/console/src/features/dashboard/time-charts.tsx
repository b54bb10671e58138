import { type BrokenEnd, brokenEnds, type LogTimes, logType, timeBandEnds } from '@sluice/contract'
import { useState } from 'react'
import { abbreviate } from '../../lib/quota.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { ChartCard } from '../../ui/chart/chart-card.tsx'
import type { ChartData, ChartLine, TimeSpan } from '../../ui/chart/chart-data.ts'
import type { LineLook } from '../../ui/chart/line-looks.ts'
import { Segments } from '../../ui/segments.tsx'
import { bucketAt } from './dashboard-span.ts'
import { bucketWords, durationText } from './dashboard-words.ts'
import type { ChartProps } from './usage-chart.tsx'

/** From quick to slow. */
const bandLooks: readonly LineLook[] = [
  { fill: 'fill-green', dot: 'bg-green' },
  { fill: 'fill-green opacity-75', dot: 'bg-green opacity-75' },
  { fill: 'fill-teal opacity-80', dot: 'bg-teal opacity-80' },
  { fill: 'fill-olive opacity-60', dot: 'bg-olive opacity-60' },
  { fill: 'fill-olive opacity-90', dot: 'bg-olive opacity-90' },
  { fill: 'fill-yellow opacity-60', dot: 'bg-yellow opacity-60' },
  { fill: 'fill-yellow opacity-90', dot: 'bg-yellow opacity-90' },
  { fill: 'fill-orange opacity-75', dot: 'bg-orange opacity-75' },
  { fill: 'fill-orange', dot: 'bg-orange' },
  { fill: 'fill-red opacity-75', dot: 'bg-red opacity-75' },
  { fill: 'fill-red', dot: 'bg-red' },
]

const endLooks: Readonly<Record<BrokenEnd, LineLook>> = {
  failed: { fill: 'fill-red', dot: 'bg-red' },
  upstream_cut: { fill: 'fill-orange', dot: 'bg-orange' },
  timed_out: { fill: 'fill-yellow', dot: 'bg-yellow' },
  too_long: { fill: 'fill-brown', dot: 'bg-brown' },
  out_of_quota: { fill: 'fill-purple', dot: 'bg-purple' },
  client_gone: { fill: 'fill-blue', dot: 'bg-blue' },
  shut_down: { fill: 'fill-teal', dot: 'bg-teal' },
  crashed: { fill: 'fill-black', dot: 'bg-black' },
}

interface TimeChartProps extends ChartProps {
  /** `undefined` = not loaded yet. */
  readonly times: readonly LogTimes[] | undefined
}

const measures = ['elapsed', 'first_byte'] as const

/** How many requests took how long. */
export function DurationChart({ times, span, buckets, ...rest }: TimeChartProps) {
  const t = useT()
  const [measure, setMeasure] = useState<(typeof measures)[number]>('elapsed')
  const lines = (all: readonly LogTimes[]): readonly ChartLine[] =>
    bandLooks.map((look, band) => ({
      ...look,
      key: String(band),
      label: bandText(band, t),
      values: placed(buckets, all, (one) => one[measure][band] ?? 0),
    }))
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.durations')}
      tools={
        <Segments
          label={t('dashboard.durations.measure')}
          value={measure}
          options={measures.map((value) => ({ value, label: t(`dashboard.measure.${value}`) }))}
          onChange={setMeasure}
        />
      }
      data={dataOf(buckets, times, lines)}
      words={{ ...bucketWords(span), valueText: abbreviate }}
      onOpen={(bucket) => rest.openLog({ type: logType.consume, start: bucket.from, end: bucket.to - 1 })}
    />
  )
}

/** How answers ended that were not complete. */
export function EndChart({ times, span, buckets, ...rest }: TimeChartProps) {
  const t = useT()
  const lines = (all: readonly LogTimes[]): readonly ChartLine[] =>
    brokenEnds.map((end) => ({
      ...endLooks[end],
      key: end,
      label: t(`dashboard.end.${end}`),
      values: placed(buckets, all, ({ ends }) => ends[end] ?? 0),
    }))
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.ends')}
      data={dataOf(buckets, times, lines)}
      words={{ ...bucketWords(span), valueText: abbreviate }}
      onOpen={(bucket) => rest.openLog({ type: logType.consume, start: bucket.from, end: bucket.to - 1 })}
    />
  )
}

/** Lines without a value are left out. */
function dataOf(
  buckets: readonly TimeSpan[],
  times: readonly LogTimes[] | undefined,
  linesOf: (times: readonly LogTimes[]) => readonly ChartLine[],
): ChartData | undefined {
  if (times === undefined) return undefined
  return { buckets, isWhole: true, lines: linesOf(times).filter(({ values }) => values.some((value) => value > 0)) }
}

function placed(buckets: readonly TimeSpan[], times: readonly LogTimes[], read: (one: LogTimes) => number): readonly number[] {
  const values = buckets.map(() => 0)
  for (const one of times) {
    const index = bucketAt(buckets, one.time)
    if (index >= 0) values[index] = (values[index] ?? 0) + read(one)
  }
  return values
}

function bandText(band: number, t: Translate): string {
  const [from, to] = [timeBandEnds[band - 1], timeBandEnds[band]]
  const text = (ms: number) => durationText(ms, t).replace(/\.0+(?= )/, '')
  if (to === undefined) return t('dashboard.band.from', { from: text(from ?? 0) })
  return from === undefined ? t('dashboard.band.to', { to: text(to) }) : t('dashboard.band', { from: text(from), to: text(to) })
}
