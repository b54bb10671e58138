import { type LogRow, log } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { call } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import { type ListView, useList } from '../../lib/use-list.ts'
import { toFullQuery, toOwnQuery } from './log-query.ts'
import { type LogFilters, readLogFilters } from './log-search.ts'

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** The filters that are set. Only administrators can filter by user and channel. */
export function useLogFilters(): LogFilters {
  const { isAdmin } = useSession()
  const search = useSearch({ strict: false })
  return useMemo(() => {
    const { user, channel, ...own } = readLogFilters({ ...search })
    return { ...own, ...(isAdmin && user !== undefined && { user }), ...(isAdmin && channel !== undefined && { channel }) }
  }, [search, isAdmin])
}

/** All rows for administrators, own rows for others. Relative ranges are computed anew for each request. */
export function useLogList(filters: LogFilters): ListView<LogRow> {
  const { isAdmin } = useSession()
  const key = useMemo(() => ({ isAdmin, ...filters }), [isAdmin, filters])
  return useList<LogRow>({
    name: 'log',
    filters: key,
    isArriving: true,
    load: (wanted, signal) =>
      isAdmin
        ? call(log.list, { ...wanted, ...toFullQuery(filters, nowSeconds()) }, { signal })
        : call(log.listSelf, { ...wanted, ...toOwnQuery(filters, nowSeconds()) }, { signal }),
  })
}

/** The total cost of all matching rows; requested only while it is shown. */
export function useLogTotal(filters: LogFilters, isShown: boolean) {
  const { isAdmin } = useSession()
  return useQuery({
    queryKey: ['log', 'stat', isAdmin, filters],
    queryFn: ({ signal }) =>
      isAdmin
        ? call(log.stat, toFullQuery(filters, nowSeconds()), { signal })
        : call(log.statSelf, toOwnQuery(filters, nowSeconds()), { signal }),
    enabled: isShown,
    placeholderData: keepPreviousData,
  })
}
