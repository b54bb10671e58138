import { type DashboardFilters, defaultRange, groups, limitsOf, ownGroups } from './dashboard-search.ts'
import { spanBefore, spanOf } from './dashboard-span.ts'
import { lineCountOf } from './line-counts.ts'

/** What the charts read for filters that do not contradict each other. */
export function viewOf(filters: DashboardFilters, seesAll: boolean, nowSeconds: number) {
  const span = spanOf(filters, nowSeconds)
  const before = spanBefore(span, filters.start === undefined ? (filters.range ?? defaultRange) : undefined)
  const known = seesAll ? groups : ownGroups
  const group = known.find((one) => one === filters.group) ?? 'model'
  return { span, before, limits: limitsOf(filters, seesAll), groups: known, group, lineCount: lineCountOf(filters.lines) }
}

export type DashboardView = ReturnType<typeof viewOf>
