import type { SeriesPoint } from '@sluice/contract'
import type { TimeSpan } from '../../ui/chart/chart-data.ts'
import { type LogFilters, ranges } from './log-search.ts'

export interface ChartSpan extends TimeSpan {
  readonly bucket: 'hour' | 'day'
  /** Hours or days of one bar. */
  readonly step: number
  /** The chosen time, if the chart shows more than that. */
  readonly chosen: TimeSpan | null
}

export interface Bar extends TimeSpan {
  readonly requests: number
  readonly failures: number
  readonly quota: number
}

const hour = 3_600
const day = 86_400

/** Usage is counted by the hour, so a shorter time is shown within the day that ends with it. */
const shortest = 6 * hour
/** Up to these lengths a bar is an hour, three hours, a day; above them a week. */
const byHour = 3 * day
const byHours = 8 * day
const byDay = 122 * day
/** What the server aggregates daily. */
const longest = 366 * day
/** Shown at least where no beginning is chosen. */
const openLength = 30 * day

/** What the chart shows for the chosen time. */
export function chartSpan({ start, end, range }: LogFilters, nowSeconds: number): ChartSpan {
  const to = Math.min(end ?? nowSeconds, nowSeconds) + 1
  const from = Math.max(range === undefined ? (start ?? 0) : nowSeconds - ranges[range], to - longest)
  const length = to - from
  if (length <= shortest) {
    const until = hourStart(Math.max(to, from + 1) - 1) + hour
    return { from: until - day, to: until, bucket: 'hour', step: 1, chosen: { from, to } }
  }
  if (length <= byHours) return { from: hourStart(from), to, bucket: 'hour', step: length <= byHour ? 1 : 3, chosen: null }
  return { from: dayStart(from), to, bucket: 'day', step: length <= byDay ? 1 : 7, chosen: null }
}

/** Where no beginning is chosen, the chart begins with the first request, but shows a month at least. */
export function fittedSpan(span: ChartSpan, { start, range }: LogFilters, points: readonly SeriesPoint[]): ChartSpan {
  if (start !== undefined || range !== undefined || span.bucket === 'hour') return span
  const first = points.reduce((least, { time }) => Math.min(least, time), span.to)
  const from = Math.max(span.from, dayStart(Math.min(first, span.to - openLength)))
  return { ...span, from, step: span.to - from <= byDay ? 1 : 7 }
}

/** The bars of a span, those without a request included. */
export function barsOf(span: ChartSpan, points: readonly SeriesPoint[]): readonly Bar[] {
  const starts: number[] = []
  for (let at = firstStart(span); at < span.to; at = nextStart(span, at)) starts.push(at)
  const bars = starts.map((from, index) => ({ from, to: starts[index + 1] ?? nextStart(span, from), requests: 0, failures: 0, quota: 0 }))
  for (const { time, requests, failures, quota } of points) {
    const bar = bars.findLast(({ from }) => from <= time)
    if (bar === undefined || time >= bar.to) continue
    bar.requests += requests
    bar.failures += failures
    bar.quota += quota
  }
  return bars
}

function firstStart({ from, bucket, step }: ChartSpan): number {
  if (bucket === 'day') return dayStart(from)
  if (step === 1) return hourStart(from)
  const date = new Date(from * 1000)
  return seconds(new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours() - (date.getHours() % step)))
}

function nextStart({ bucket, step }: ChartSpan, at: number): number {
  if (bucket === 'hour') return at + step * hour
  const date = new Date(at * 1000)
  // Days of a change of the clock have 23 or 25 hours.
  return seconds(new Date(date.getFullYear(), date.getMonth(), date.getDate() + step))
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
const hourStart = (at: number): number => at - (at % hour)

function dayStart(at: number): number {
  const date = new Date(at * 1000)
  return seconds(new Date(date.getFullYear(), date.getMonth(), date.getDate()))
}
