import { type LogRow, log } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api.ts'
import { type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import { derivedOptions } from '../../lib/reads.ts'
import { isAdmin, useSession } from '../../lib/session.ts'
import type { ListSpec } from '../../lib/use-list.ts'
import { toFullQuery, toOwnQuery } from './log-query.ts'
import { type LogFilters, logFilters, withoutConflict } from './log-search.ts'

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** The filters that are set. Only administrators can filter by user and channel. */
export function useLogFilters(): Filters<typeof logFilters> {
  const { isAdmin: seesAll } = useSession()
  const filters = useFilters(logFilters)
  const values = useMemo(() => visible(withoutConflict(filters.values), seesAll), [filters.values, seesAll])
  return { ...filters, values, clear: Object.keys(values).length === 0 ? null : filters.clear }
}

function visible({ user, channel, ...own }: LogFilters, seesAll: boolean): LogFilters {
  return { ...own, ...(seesAll && user !== undefined && { user }), ...(seesAll && channel !== undefined && { channel }) }
}

/** The filters of an address, likewise. */
export const filtersIn = (search: Readonly<Record<string, unknown>>): LogFilters =>
  visible(withoutConflict(readFilters(logFilters, search)), isAdmin())

/** The list of the route: all rows for administrators, own rows for others. Relative ranges are computed anew for each request. */
export function listOf(search: Readonly<Record<string, unknown>>): ListSpec<LogRow> {
  const seesAll = isAdmin()
  const filters = filtersIn(search)
  return seesAll
    ? { endpoint: log.list, file: log.export, filters, input: () => toFullQuery(filters, nowSeconds()) }
    : { endpoint: log.listSelf, file: log.exportSelf, filters, input: () => toOwnQuery(filters, nowSeconds()) }
}

/** The total cost of all matching rows; requested only while it is shown. */
export function useLogTotal(filters: LogFilters, isShown: boolean) {
  const { isAdmin: seesAll } = useSession()
  return useQuery({
    ...derivedOptions(seesAll ? log.stat : log.statSelf, ['total', filters], ({ signal }) =>
      seesAll
        ? call(log.stat, toFullQuery(filters, nowSeconds()), { signal })
        : call(log.statSelf, toOwnQuery(filters, nowSeconds()), { signal }),
    ),
    enabled: isShown,
    placeholderData: keepPreviousData,
  })
}
