import { isTaskEnd, type TaskRow, task, taskIdsMax } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../lib/api.ts'
import { type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import { derivedOptions } from '../../lib/reads.ts'
import { isAdmin, useSession } from '../../lib/session.ts'
import type { ListSpec, ListView } from '../../lib/use-list.ts'
import { type TaskFilters, taskFilters } from './task-search.ts'

/** The filters that are set. Only administrators can filter by user and channel. */
export function useTaskFilters(): Filters<typeof taskFilters> {
  const { isAdmin: seesAll } = useSession()
  const filters = useFilters(taskFilters)
  const values = useMemo(() => visible(filters.values, seesAll), [filters.values, seesAll])
  return { ...filters, values, clear: Object.keys(values).length === 0 ? null : filters.clear }
}

function visible({ user, channel, ...own }: TaskFilters, seesAll: boolean): TaskFilters {
  return { ...own, ...(seesAll && user !== undefined && { user }), ...(seesAll && channel !== undefined && { channel }) }
}

/** The list of the route: all tasks for administrators, own ones for others. */
export function listOf(search: Readonly<Record<string, unknown>>): ListSpec<TaskRow> {
  const seesAll = isAdmin()
  const filters = visible(readFilters(taskFilters, search), seesAll)
  return {
    endpoint: seesAll ? task.list : task.self,
    file: seesAll ? task.export : task.exportSelf,
    filters,
    input: () => queryOf(filters),
  }
}

function queryOf({ user, id, start, end, ...filters }: TaskFilters) {
  return { ...filters, public_id: id, username: user, start_timestamp: start, end_timestamp: end }
}

/** How often running tasks are polled. */
export const followMs = 2_000

/** Keeps the running ones of the loaded tasks up to date, in one call. It pauses while the tab is hidden. */
export function useFollowedTasks({ rows, patch }: Pick<ListView<TaskRow>, 'rows' | 'patch'>): void {
  const { isAdmin: seesAll } = useSession()
  const ids = rows
    .filter(({ state }) => !isTaskEnd(state))
    .map(({ id }) => id)
    .slice(0, taskIdsMax)
    .join(',')
  const endpoint = seesAll ? task.list : task.self
  useQuery({
    ...derivedOptions(endpoint, ['followed', ids], async ({ signal }) => {
      const rows = await call(endpoint, { ids, size: taskIdsMax }, { signal })
      for (const row of rows) patch(row.id, row)
      return rows.length
    }),
    enabled: ids !== '',
    refetchInterval: followMs,
    // The next look comes soon; a list that cannot be read says so itself.
    meta: { failure: 'silent' },
    gcTime: 0,
  })
}
