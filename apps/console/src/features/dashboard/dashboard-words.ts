import type { Percentile } from '@sluice/contract'
import { durationText } from '../../lib/duration-text.ts'
import { abbreviate, formatQuota, type Money } from '../../lib/quota.ts'
import type { Translate } from '../../lib/t.ts'
import { formatInZone } from '../../lib/zone-time.ts'
import type { ChartWords, TimeSpan } from '../../ui/chart/chart-data.ts'
import type { Metric } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'

type BucketWords = Pick<ChartWords, 'bucketText' | 'axisText'>

/** Buckets as the clocks of the chosen zone show them. */
export function bucketWords({ bucket, zone }: Pick<DashboardSpan, 'bucket' | 'zone'>): BucketWords {
  const text = (seconds: number) => formatInZone(seconds, zone)
  if (bucket === 'day') return { bucketText: ({ from }) => text(from).slice(0, 10), axisText: ({ from }) => text(from).slice(5, 10) }
  return {
    bucketText: ({ from, to }: TimeSpan) => `${text(from).slice(0, 16)}–${text(to).slice(11, 16)}`,
    axisText: ({ from }) => (text(from).slice(11, 13) === '00' ? text(from).slice(5, 10) : text(from).slice(11, 16)),
  }
}

/** Whether a metric is an amount of money. */
export const isMoney = (metric: Metric): boolean => metric === 'quota' || metric === 'cost'

/** An amount of a metric. */
export function metricText(value: number, metric: Metric, money: Money): string {
  return isMoney(metric) ? formatQuota(value, money) : abbreviate(value)
}

/** The name of a metric. What customers are charged is the cost of their own requests to them. */
export function metricName(metric: Metric, isAdmin: boolean, t: Translate): string {
  return t(metric === 'quota' && isAdmin ? 'dashboard.metric.charged' : `dashboard.metric.${metric}`)
}

/** A share in percent: with one decimal below ten. */
export function shareText(share: number): string {
  const percent = share * 100
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : percent.toFixed(0)}%`
}

/** A margin in percent of what was charged. Nothing was charged: a loss has no share. */
export function marginShareText(margin: number, costedQuota: number): string | undefined {
  if (costedQuota === 0) return undefined
  const share = margin / costedQuota
  return share < 0 ? `-${shareText(-share)}` : shareText(share)
}

export function percentileText(percentile: Percentile | null, t: Translate): string {
  if (percentile === null) return '–'
  const text = durationText(percentile.ms, t)
  return percentile.isMore ? `> ${text}` : text
}
