import { type BrokenEnd, brokenEnds, type LogTimes, logType, type TimeMeasure, timeBandEnds, timeMeasures } from '@sluice/contract'
import { useState } from 'react'
import { bandText } from '../../lib/band-text.ts'
import { abbreviate } from '../../lib/quota.ts'
import { useT } from '../../lib/t.ts'
import { ChartCard } from '../../ui/chart/chart-card.tsx'
import type { ChartData, ChartLine, TimeSpan } from '../../ui/chart/chart-data.ts'
import { type LineLook, looksOf, otherLook } from '../../ui/chart/line-looks.ts'
import { Segments } from '../../ui/segments.tsx'
import { bucketAt } from './dashboard-span.ts'
import { bucketWords } from './dashboard-words.ts'
import { frequentCodes, unnamedFailures } from './error-codes.ts'
import type { ChartProps } from './usage-chart.tsx'

/** From quick to slow. */
const bandLooks: readonly LineLook[] = [
  { fill: 'fill-chart-8', dot: 'bg-chart-8' },
  { fill: 'fill-chart-8 opacity-70', dot: 'bg-chart-8 opacity-70' },
  { fill: 'fill-chart-3', dot: 'bg-chart-3' },
  { fill: 'fill-chart-3 opacity-70', dot: 'bg-chart-3 opacity-70' },
  { fill: 'fill-chart-5 opacity-70', dot: 'bg-chart-5 opacity-70' },
  { fill: 'fill-chart-5', dot: 'bg-chart-5' },
  { fill: 'fill-chart-9 opacity-70', dot: 'bg-chart-9 opacity-70' },
  { fill: 'fill-chart-9', dot: 'bg-chart-9' },
  { fill: 'fill-chart-2', dot: 'bg-chart-2' },
  { fill: 'fill-red opacity-70', dot: 'bg-red opacity-70' },
  { fill: 'fill-red', dot: 'bg-red' },
]

const endLooks: Readonly<Record<BrokenEnd, LineLook>> = {
  failed: { fill: 'fill-red', dot: 'bg-red' },
  upstream_cut: { fill: 'fill-chart-2', dot: 'bg-chart-2' },
  timed_out: { fill: 'fill-chart-9', dot: 'bg-chart-9' },
  too_long: { fill: 'fill-chart-7', dot: 'bg-chart-7' },
  out_of_quota: { fill: 'fill-chart-6', dot: 'bg-chart-6' },
  client_gone: { fill: 'fill-chart-1', dot: 'bg-chart-1' },
  shut_down: { fill: 'fill-chart-3', dot: 'bg-chart-3' },
  crashed: { fill: 'fill-black', dot: 'bg-black' },
}

interface TimeChartProps extends ChartProps {
  /** `undefined` = not loaded yet. */
  readonly times: readonly LogTimes[] | undefined
}

/** How many requests took how long. */
export function DurationChart({ times, span, buckets, ...rest }: TimeChartProps) {
  const t = useT()
  const [measure, setMeasure] = useState<TimeMeasure>('elapsed')
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
          options={timeMeasures.map((value) => ({ value, label: t(`dashboard.measure.${value}`) }))}
          onChange={setMeasure}
        />
      }
      data={dataOf(buckets, times, lines)}
      words={{ ...bucketWords(span), valueText: abbreviate }}
      onOpen={(bucket, line) =>
        rest.openLog({
          ...{ type: logType.consume, start: bucket.from, end: bucket.to - 1 },
          ...(line !== null && { duration: `${measure}_${timeBandEnds[Number(line.key)] ?? 'more'}` }),
        })
      }
    />
  )
}

/** Responses that were not complete: by how they ended, and failed ones by their error code. */
export function EndChart({ times, span, buckets, ...rest }: TimeChartProps) {
  const t = useT()
  const lines = (all: readonly LogTimes[]): readonly ChartLine[] => {
    const codes = frequentCodes(all)
    const looks = looksOf(codes)
    return [
      ...codes.map((code) => ({
        ...(looks.get(code) ?? otherLook),
        key: `${codePrefix}${code}`,
        label: code,
        values: placed(buckets, all, ({ errors }) => errors[code] ?? 0),
      })),
      ...brokenEnds.map((end) => ({
        ...endLooks[end],
        key: end,
        label: t(`dashboard.end.${end}`),
        values: placed(buckets, all, (one) => (end === 'failed' ? unnamedFailures(one, codes) : (one.ends[end] ?? 0))),
      })),
    ]
  }
  return (
    <ChartCard
      {...rest}
      title={t('dashboard.ends')}
      data={dataOf(buckets, times, lines)}
      words={{ ...bucketWords(span), valueText: abbreviate }}
      onOpen={(bucket, line) => rest.openLog({ type: logType.consume, start: bucket.from, end: bucket.to - 1, ...endOf(line) })}
    />
  )
}

/** Before the error code in the key of a line. */
const codePrefix = 'code:'

/** The filters of the log for a part of a bar; `null` = all of it. */
function endOf(line: ChartLine | null): Readonly<Record<string, string>> {
  if (line === null) return { outcome: 'broken' }
  return line.key.startsWith(codePrefix) ? { error: line.key.slice(codePrefix.length) } : { outcome: line.key }
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
