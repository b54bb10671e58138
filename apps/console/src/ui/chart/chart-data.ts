import { csvText } from '../../lib/csv-text.ts'
import type { LineLook } from './line-looks.ts'

/** Seconds since the epoch; the end is exclusive. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface ChartLine extends LineLook {
  readonly key: string
  readonly label: string
  /** One value for each bucket. */
  readonly values: readonly number[]
}

/** What a chart shows: lines that add up, over buckets of time. */
export interface ChartData {
  readonly buckets: readonly TimeSpan[]
  readonly lines: readonly ChartLine[]
  /** The values are counts, which have no parts. */
  readonly isWhole: boolean
}

/** A value in words, and a bucket in words. */
export interface ChartWords {
  readonly valueText: (value: number) => string
  readonly bucketText: (bucket: TimeSpan) => string
  /** The beginning of a bucket in a few characters, for the axis. */
  readonly axisText: (bucket: TimeSpan) => string
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

export const valueAt = (line: Pick<ChartLine, 'values'>, index: number): number => line.values[index] ?? 0

export function totalAt(lines: readonly Pick<ChartLine, 'values'>[], index: number): number {
  return lines.reduce((sum, line) => sum + valueAt(line, index), 0)
}

/** The line that is drawn at a height of a bucket; `null` = none. */
export function lineAt(lines: readonly ChartLine[], index: number, value: number): ChartLine | null {
  let below = 0
  for (const line of lines) {
    below += valueAt(line, index)
    if (value < below) return line
  }
  return null
}

/** The chart as a file for a spreadsheet: a row for each bucket, a column for each line. */
export function chartFile(
  { buckets, lines }: ChartData,
  { timeLabel, bucketText }: { timeLabel: string } & Pick<ChartWords, 'bucketText'>,
) {
  const rows = buckets.map((bucket, index) => [bucketText(bucket), ...lines.map((line) => valueAt(line, index))])
  return csvText([[timeLabel, ...lines.map(({ label }) => label)], ...rows])
}
