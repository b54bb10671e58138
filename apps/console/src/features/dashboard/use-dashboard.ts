import { log } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import type { Group } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'
import type { UsagePoint } from './usage-lines.ts'

function inputOf({ from, to, bucket, isUtc }: DashboardSpan) {
  const zone = isUtc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
  return { start_timestamp: from, end_timestamp: to - 1, bucket, zone }
}

/** The charts show a failure themselves. */
const options = { placeholderData: keepPreviousData, meta: { failure: 'silent' } } as const

/** Use over time, by one property or altogether; of all for administrators, otherwise one's own. */
export function useUsage(span: DashboardSpan, group: Group | '') {
  const { isAdmin } = useSession()
  return useQuery({
    queryKey: ['log', 'series', 'dashboard', isAdmin, span, group],
    queryFn: async ({ signal }): Promise<readonly UsagePoint[]> => {
      const input = inputOf(span)
      if (isAdmin) return await call(log.series, { ...input, group }, { signal })
      return await call(log.seriesSelf, { ...input, group: group === 'token' || group === 'model' ? group : '' }, { signal })
    },
    ...options,
  })
}

/** Durations and ends over time, likewise. */
export function useTimes(span: DashboardSpan) {
  const { isAdmin } = useSession()
  return useQuery({
    queryKey: ['log', 'times', isAdmin, span],
    queryFn: async ({ signal }) => await call(isAdmin ? log.times : log.timesSelf, inputOf(span), { signal }),
    ...options,
  })
}
