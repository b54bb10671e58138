import { logType } from '@sluice/contract'
import { storage } from '../../lib/storage.ts'
import type { LogFilters } from './log-search.ts'

export const chartMetrics = ['requests', 'quota'] as const
export type ChartMetric = (typeof chartMetrics)[number]

/** What the user chose for the chart. */
export interface ChartChoice {
  readonly isShown: boolean
  readonly metric: ChartMetric
}

const key = 'ui-log-chart'

export function readChartChoice(): ChartChoice {
  const stored = storage.readJson(key)
  const { isShown, metric }: { readonly isShown?: unknown; readonly metric?: unknown } =
    typeof stored === 'object' && stored !== null ? stored : {}
  return { isShown: isShown !== false, metric: chartMetrics.find((known) => known === metric) ?? 'requests' }
}

export const writeChartChoice = (choice: ChartChoice): void => storage.writeJson(key, choice)

/** Whether the chart has bars for these filters: the sums have requests only, and no single ones. */
export const isCounted = ({ type, request, outcome, error, duration }: LogFilters): boolean =>
  (type === undefined || type === logType.consume) &&
  request === undefined &&
  outcome === undefined &&
  error === undefined &&
  duration === undefined
