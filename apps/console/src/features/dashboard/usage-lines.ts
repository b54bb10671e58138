import type { AdminSeriesPoint, SeriesPoint } from '@sluice/contract'
import { groupBy } from '../../lib/group-by.ts'
import type { ChartLine, TimeSpan } from '../../ui/chart/chart-data.ts'
import { looksOf, otherLook } from '../../ui/chart/line-looks.ts'
import type { Group, Metric } from './dashboard-search.ts'
import { bucketAt } from './dashboard-span.ts'

/** Members for administrators are missing for other users. */
export type UsagePoint = SeriesPoint & Partial<Pick<AdminSeriesPoint, 'cost' | 'costed_quota'>>

/** Everything that one name used in a time. */
export interface UsageLine {
  readonly key: string
  readonly id: number
  readonly name: string
  readonly isOther: boolean
  /** By bucket; a bucket without a request is missing. */
  readonly points: ReadonlyMap<number, UsagePoint>
  readonly total: Totals
}

export interface Totals {
  readonly requests: number
  readonly failures: number
  readonly quota: number
  readonly tokens: number
  /** The parts of `tokens`. */
  readonly promptTokens: number
  readonly completionTokens: number
  /** Milliseconds of all requests together. */
  readonly elapsed: number
  /** What vendors charge for the requests whose cost is known. */
  readonly cost: number
  /** What was charged for these requests. */
  readonly costedQuota: number
}

const metricOf = (point: UsagePoint, metric: Metric): number =>
  metric === 'tokens' ? point.prompt_tokens + point.completion_tokens : (point[metric] ?? 0)

export function totalsOf(points: Iterable<UsagePoint>): Totals {
  const total = { requests: 0, failures: 0, quota: 0, tokens: 0, promptTokens: 0, completionTokens: 0, elapsed: 0, cost: 0, costedQuota: 0 }
  for (const point of points) {
    total.requests += point.requests
    total.failures += point.failures
    total.quota += point.quota
    total.tokens += metricOf(point, 'tokens')
    total.promptTokens += point.prompt_tokens
    total.completionTokens += point.completion_tokens
    total.elapsed += point.elapsed_time
    total.cost += point.cost ?? 0
    total.costedQuota += point.costed_quota ?? 0
  }
  return total
}

/** The lines of a series, the one with the most of a metric first, and everything else last. */
export function linesOf(points: readonly UsagePoint[], buckets: readonly TimeSpan[], metric: Metric): readonly UsageLine[] {
  const byKey = groupBy(points, ({ id, name, is_other }) => (is_other ? 'other' : `${id} ${name}`))
  const lines = [...byKey].flatMap(([key, all]): readonly UsageLine[] => {
    const [first] = all
    if (first === undefined) return []
    const placed = all.map((point) => [bucketAt(buckets, point.time), point] as const).filter(([index]) => index >= 0)
    return [{ key, id: first.id, name: first.name, isOther: first.is_other, points: new Map(placed), total: totalsOf(all) }]
  })
  return lines.sort((one, other) => Number(one.isOther) - Number(other.isOther) || other.total[metric] - one.total[metric])
}

/** What is left of the charges whose cost is known; `null`: the cost of none is. */
export function marginOf({ cost, costedQuota }: Totals): number | null {
  return cost === 0 && costedQuota === 0 ? null : costedQuota - cost
}

interface Naming {
  readonly metric: Metric
  readonly buckets: readonly TimeSpan[]
  readonly nameOf: (line: UsageLine) => string
}

/** The lines of a chart; those without any of the metric are left out. */
export function chartLines(lines: readonly UsageLine[], { metric, buckets, nameOf }: Naming): readonly ChartLine[] {
  const looks = looksOf(lines.filter(({ isOther }) => !isOther).map(({ key }) => key))
  return lines
    .filter(({ total }) => total[metric] > 0)
    .map((line) => ({
      key: line.key,
      label: nameOf(line),
      ...(looks.get(line.key) ?? otherLook),
      values: buckets.map((_, index) => {
        const point = line.points.get(index)
        return point === undefined ? 0 : metricOf(point, metric)
      }),
    }))
}

/** Tokens of prompts and of responses, of all names together; one without any is left out. */
export function tokenLines(
  points: readonly UsagePoint[],
  buckets: readonly TimeSpan[],
  labels: Readonly<Record<'input' | 'output', string>>,
): readonly ChartLine[] {
  const lines = [
    {
      key: 'input',
      label: labels.input,
      fill: 'fill-chart-1',
      dot: 'bg-chart-1',
      values: summed(points, buckets, (point) => point.prompt_tokens),
    },
    {
      key: 'output',
      label: labels.output,
      fill: 'fill-chart-3',
      dot: 'bg-chart-3',
      values: summed(points, buckets, (point) => point.completion_tokens),
    },
  ]
  return lines.filter(({ values }) => values.some((value) => value > 0))
}

/** Each value with all values before it. */
export function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

/** The totals of each bucket. */
export function bucketTotals(points: readonly UsagePoint[], buckets: readonly TimeSpan[], metric: Metric): readonly number[] {
  return summed(points, buckets, (point) => metricOf(point, metric))
}

function summed(points: readonly UsagePoint[], buckets: readonly TimeSpan[], read: (point: UsagePoint) => number): readonly number[] {
  const totals = buckets.map(() => 0)
  for (const point of points) {
    const index = bucketAt(buckets, point.time)
    if (index >= 0) totals[index] = (totals[index] ?? 0) + read(point)
  }
  return totals
}

/** The search parameters of the log with the requests of a line. */
export function logSearchOf(line: UsageLine | null, group: Group): Readonly<Record<string, string | number>> {
  if (line === null || line.isOther) return {}
  if (group === 'channel') return line.id === 0 ? {} : { channel: line.id }
  return line.name === '' ? {} : { [group]: line.name }
}
