import { log, type SeriesLineCount } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { useSession } from '../../lib/session.ts'
import type { DashboardLimits, Group } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'
import { usualLineCount } from './line-counts.ts'
import type { UsagePoint } from './usage-lines.ts'

function inputOf({ from, to, bucket, zone }: DashboardSpan) {
  return { start_timestamp: from, end_timestamp: to - 1, bucket, zone }
}

/** The charts show a failure themselves. */
const options = { placeholderData: keepPreviousData, meta: { failure: 'silent' } } as const

interface UsageWish {
  readonly span: DashboardSpan
  readonly limits: DashboardLimits
  readonly group: Group | ''
  readonly lines?: SeriesLineCount | undefined
}

/** Use over time, by one property or altogether; of all for administrators, otherwise one's own. */
export function useUsage({ span, limits, group, lines = usualLineCount }: UsageWish) {
  const { isAdmin } = useSession()
  return useQuery({
    queryKey: ['log', 'series', 'dashboard', isAdmin, span, limits, group, lines],
    queryFn: async ({ signal }): Promise<readonly UsagePoint[]> => {
      const { model = '', token = '', user = '', channel = 0 } = limits
      const input = { ...inputOf(span), model_name: model, token_name: token, lines }
      if (isAdmin) return await call(log.series, { ...input, username: user, channel, group }, { signal })
      return await call(log.seriesSelf, { ...input, group: group === 'token' || group === 'model' ? group : '' }, { signal })
    },
    ...options,
  })
}

/** What durations are counted for: everything, or one model, channel or account; `null` = not for these limits. */
function timesOf(limits: DashboardLimits, isAdmin: boolean) {
  const [first, ...others] = Object.entries(limits)
  if (first === undefined) return { of: '' as const, name: '' }
  const [name, value] = first
  const of = (['model', 'channel', 'user'] as const).find((one) => one === name)
  return others.length > 0 || of === undefined || !isAdmin ? null : { of, name: String(value) }
}

/** Durations and ends over time, likewise. `isCounted`: whether there are any for these limits. */
export function useTimes(span: DashboardSpan, limits: DashboardLimits) {
  const { isAdmin } = useSession()
  const wish = timesOf(limits, isAdmin)
  const query = useQuery({
    queryKey: ['log', 'times', isAdmin, span, wish],
    queryFn: async ({ signal }) => {
      const input = inputOf(span)
      return await (isAdmin ? call(log.times, { ...input, ...wish }, { signal }) : call(log.timesSelf, input, { signal }))
    },
    enabled: wish !== null,
    ...options,
  })
  return { ...query, isCounted: wish !== null }
}
