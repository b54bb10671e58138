import { channel, log, type SeriesLineCount } from '@sluice/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../lib/api.ts'
import { readFilters } from '../../lib/filters.ts'
import { type Preload, pointedFreshMs, prefetch, unreported } from '../../lib/preload.ts'
import { derivedOptions, readOptions } from '../../lib/reads.ts'
import { isAdmin, useSession } from '../../lib/session.ts'
import { type DashboardLimits, dashboardFilters, type Group, withoutConflict } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'
import { viewOf } from './dashboard-view.ts'
import { usualLineCount } from './line-counts.ts'
import type { UsagePoint } from './usage-lines.ts'

function inputOf({ from, to, bucket, zone }: DashboardSpan) {
  return { start_timestamp: from, end_timestamp: to - 1, bucket, zone }
}

/** The charts show a failure themselves. */
const options = { staleTime: pointedFreshMs, ...unreported } as const

interface UsageParams {
  readonly span: DashboardSpan
  readonly limits: DashboardLimits
  readonly group: Group | ''
  readonly lines?: SeriesLineCount | undefined
}

function usageQuery(seesAll: boolean, { span, limits, group, lines = usualLineCount }: UsageParams) {
  const read = async ({ signal }: { readonly signal: AbortSignal }): Promise<readonly UsagePoint[]> => {
    const { model = '', token = '', user = '', channel = 0 } = limits
    const input = { ...inputOf(span), model_name: model, token_name: token, lines }
    if (seesAll) return await call(log.series, { ...input, username: user, channel, group }, { signal })
    return await call(log.seriesSelf, { ...input, group: group === 'token' || group === 'model' ? group : '' }, { signal })
  }
  return { ...derivedOptions(seesAll ? log.series : log.seriesSelf, ['usage', { span, limits, group, lines }], read), ...options }
}

/** Use over time, by one property or altogether; of all for administrators, otherwise one's own. */
export function useUsage(params: UsageParams) {
  const { isAdmin: seesAll } = useSession()
  return useQuery({ ...usageQuery(seesAll, params), placeholderData: keepPreviousData })
}

/** What durations are counted for: everything, or one model, channel or account; `null` = not for these limits. */
function timesOf(limits: DashboardLimits, seesAll: boolean) {
  const [first, ...others] = Object.entries(limits)
  if (first === undefined) return { of: '' as const, name: '' }
  const [name, value] = first
  const of = (['model', 'channel', 'user'] as const).find((one) => one === name)
  return others.length > 0 || of === undefined || !seesAll ? null : { of, name: String(value) }
}

function timesQuery(seesAll: boolean, span: DashboardSpan, limits: DashboardLimits) {
  const params = timesOf(limits, seesAll)
  const input = inputOf(span)
  return {
    ...derivedOptions(seesAll ? log.times : log.timesSelf, ['times', { span, wish: params }], ({ signal }) =>
      seesAll ? call(log.times, { ...input, ...params }, { signal }) : call(log.timesSelf, input, { signal }),
    ),
    ...options,
  }
}

/** Durations and ends over time, likewise. `isCounted`: whether there are any for these limits. */
export function useTimes(span: DashboardSpan, limits: DashboardLimits) {
  const { isAdmin: seesAll } = useSession()
  const isCounted = timesOf(limits, seesAll) !== null
  const query = useQuery({ ...timesQuery(seesAll, span, limits), enabled: isCounted, placeholderData: keepPreviousData })
  return { ...query, isCounted }
}

/** How long the responses for the board of channels are not requested again. */
export const boardFreshMs = 10_000

export const preload: Preload = (client, search) => {
  const seesAll = isAdmin()
  const filters = withoutConflict(readFilters(dashboardFilters, search))
  // The board is for administrators.
  if (seesAll)
    for (const endpoint of [channel.board, channel.health]) prefetch(client, readOptions(endpoint, {}, { freshMs: boardFreshMs }))
  const { span, before, limits, group, lineCount } = viewOf(filters, seesAll, Math.floor(Date.now() / 1000))
  prefetch(client, usageQuery(seesAll, { span, limits, group, lines: lineCount }))
  prefetch(client, usageQuery(seesAll, { span: before, limits, group: '' }))
  if (timesOf(limits, seesAll) === null) return
  for (const part of [span, before]) prefetch(client, timesQuery(seesAll, part, limits))
}
