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

/** What a chart shows: stacked lines, over buckets of time. */
export interface ChartData {
  readonly buckets: readonly TimeSpan[]
  readonly lines: readonly ChartLine[]
  /** The values are counts, which have no parts. */
  readonly isWhole: boolean
  /** Each value has those before it in it, so that the last one is the sum. */
  readonly isRunning?: boolean
  /** The totals of another time of the same length, one for each bucket, that the bars are compared with. */
  readonly before?: readonly number[]
}

/** A value in words, and a bucket in words. */
export interface ChartWords {
  readonly valueText: (value: number) => string
  readonly bucketText: (bucket: TimeSpan) => string
  /** The beginning of a bucket in a few characters, for the axis. */
  readonly axisText: (bucket: TimeSpan) => string
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** What all values of a line come to. */
export const lineSum = (values: readonly number[], isRunning: boolean): number => (isRunning ? (values.at(-1) ?? 0) : sumOf(values))

export const valueAt = (line: Pick<ChartLine, 'values'>, index: number): number => line.values[index] ?? 0

export function totalAt(lines: readonly Pick<ChartLine, 'values'>[], index: number): number {
  return lines.reduce((sum, line) => sum + valueAt(line, index), 0)
}

/** The line at a height of a bucket; `null` = none. */
export function lineAt(lines: readonly ChartLine[], index: number, value: number): ChartLine | null {
  let below = 0
  for (const line of lines) {
    below += valueAt(line, index)
    if (value < below) return line
  }
  return null
}

/** The chart as a file for a spreadsheet: a row for each bucket, a column for each line. */
export function chartFile({ buckets, lines, before }: ChartData, { timeLabel, beforeLabel, bucketText }: FileWords) {
  const compared = before === undefined ? [] : [{ label: beforeLabel, values: before }]
  const columns = [...lines, ...compared]
  const rows = buckets.map((bucket, index) => [bucketText(bucket), ...columns.map((line) => valueAt(line, index))])
  return csvText([[timeLabel, ...columns.map(({ label }) => label)], ...rows])
}

interface FileWords extends Pick<ChartWords, 'bucketText'> {
  readonly timeLabel: string
  readonly beforeLabel: string
}
