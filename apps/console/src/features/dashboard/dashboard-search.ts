import { choiceFilter, type FiltersOf, numberFilter, readFilters, textFilter } from '../../lib/filters.ts'

/** Ranges that end now, in days. */
export const rangeDays = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 } as const
/** `today` and `month` begin with the day and the month in the chosen zone. */
export type Range = keyof typeof rangeDays | 'today' | 'month'
export const ranges: readonly Range[] = ['today', '24h', '7d', '30d', 'month', '90d', '1y']
export const defaultRange: Range = '7d'

export const metrics = ['requests', 'tokens', 'quota', 'cost', 'failures'] as const
export type Metric = (typeof metrics)[number]
/** Users do not see what vendors charge. */
export const ownMetrics: readonly Metric[] = metrics.filter((metric) => metric !== 'cost')

export const groups = ['model', 'channel', 'user', 'token'] as const
export type Group = (typeof groups)[number]
/** Users have charts of their own requests, and do not see which channel served them. */
export const ownGroups: readonly Group[] = ['model', 'token']

export const dashboardFilters = {
  range: choiceFilter(ranges),
  /** Seconds since the epoch; the end is exclusive. Not together with `range`. */
  start: numberFilter,
  end: numberFilter,
  /** What one bar is. Missing: what fits the time. */
  by: choiceFilter(['hour', 'day'] as const),
  metric: choiceFilter(metrics),
  group: choiceFilter(groups),
  /** How many names have a line of their own. */
  lines: numberFilter,
  /** What the usage is compared with. */
  compare: choiceFilter(['before'] as const),
  /** Each bar has everything up to its end. */
  sum: choiceFilter(['running'] as const),
  /** In which days begin and times are shown. Missing, or unknown to the browser: its own. */
  zone: textFilter,
  /** What all charts are limited to. Users have `model` and `token` only. */
  model: textFilter,
  channel: numberFilter,
  user: textFilter,
  token: textFilter,
}
export type DashboardFilters = FiltersOf<typeof dashboardFilters>

/** Reads the page's search parameters. */
export const readDashboardSearch = (raw: Readonly<Record<string, unknown>>): DashboardFilters =>
  withoutConflict(readFilters(dashboardFilters, raw))

/** A range wins over a start and an end, which need each other. */
export function withoutConflict({ start, end, ...rest }: DashboardFilters): DashboardFilters {
  const hasTimes = rest.range === undefined && start !== undefined && end !== undefined && start < end
  return hasTimes ? { ...rest, start, end } : rest
}

/** The limits of the charts that a reader may set. */
export function limitsOf({ model, channel, user, token }: DashboardFilters, isAdmin: boolean): DashboardLimits {
  return {
    ...(model !== undefined && { model }),
    ...(isAdmin && channel !== undefined && { channel }),
    ...(isAdmin && user !== undefined && { user }),
    ...(token !== undefined && { token }),
  }
}

export type DashboardLimits = Pick<DashboardFilters, Group>
