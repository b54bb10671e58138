import { durationBands, logType, outcomes } from '@sluice/contract'
import { choiceFilter, type FiltersOf, numberFilter, readFilters, textFilter } from '../../lib/filters.ts'
import { type ListSearch, readListSearch } from '../../lib/list-search.ts'

/** Ranges that always end now, in seconds. */
export const ranges = { '15m': 900, '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const
export type Range = keyof typeof ranges
export const rangeNames: readonly Range[] = ['15m', '1h', '24h', '7d', '30d']

export const logFilters = {
  /** Without 0, which means all. */
  type: choiceFilter<number>(Object.values(logType).filter((type) => type !== logType.all)),
  token: textFilter,
  model: textFilter,
  /** Id of a request. */
  request: textFilter,
  /** How a request ended. */
  outcome: choiceFilter(outcomes),
  /** The error code of a request that failed. */
  error: textFilter,
  /** How long a request took. */
  duration: choiceFilter(durationBands),
  /** For administrators only, like `channel`. */
  user: textFilter,
  channel: numberFilter,
  /** Seconds since the epoch; not together with `range`. */
  start: numberFilter,
  end: numberFilter,
  range: choiceFilter(rangeNames),
}

export type LogFilters = FiltersOf<typeof logFilters>
export type LogSearch = ListSearch & LogFilters & Live

/** Whether new rows are added by themselves. */
interface Live {
  readonly live?: 'on'
}

export function readLive(raw: Readonly<Record<string, unknown>>): Live {
  return raw['live'] === 'on' ? { live: 'on' } : {}
}

/** Reads the log page's search parameters. */
export function readLogSearch(raw: Readonly<Record<string, unknown>>): LogSearch {
  return { ...readListSearch(raw), ...withoutConflict(readFilters(logFilters, raw)), ...readLive(raw) }
}

/** A range wins over a start and an end. */
export function withoutConflict(filters: LogFilters): LogFilters {
  if (filters.range === undefined) return filters
  const { start: _, end: __, ...rest } = filters
  return rest
}
