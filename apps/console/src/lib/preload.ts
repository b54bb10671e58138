import type { FetchQueryOptions, Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { createStore } from './store.ts'

/** Of an address; not checked. */
export type SearchParams = Readonly<Record<string, unknown>>

/** The parts of an address that a route names, such as the id of a row. */
export type PathParams = Readonly<Record<string, string | undefined>>

/**
 * Starts the calls for what a page shows first, as soon as a link to it is pointed at, and again when it is opened. Failures are not
 * reported: the page makes the call again when it is shown. What fills a form is read again when the form opens, unless it is still on its way.
 */
export type Preload = (client: QueryClient, search: SearchParams, params: PathParams) => void

/** Of the options of a query that is made before its page. */
export const unreported = { meta: { failure: 'silent' } } as const

/** What a list or a chart has loaded while its link was pointed at is not loaded again when its page opens. */
export const pointedFreshMs = 5_000

/** When the shown page was opened, in milliseconds; 0 = it is the first one. */
const opened = createStore(0)

export const noteOpening = (): void => opened.set(Date.now())

export const openedMs = opened.get

/** Whether data is older than the shown page: it was read while a link was pointed at, or for a page before. */
export const isOlderThanPage = ({ state }: Pick<Query, 'state'>): boolean => state.isInvalidated || state.dataUpdatedAt < openedMs()

/**
 * Starts a read of a page before the page is shown. What was read since the current page was opened, at most five seconds ago, is not read
 * again: a page whose code is loaded may have rendered, and have its data, when its `preload` is called.
 */
export function prefetch<Data, Key extends QueryKey>(client: QueryClient, options: FetchQueryOptions<Data, Error, Data, Key>): void {
  const state = client.getQueryState(options.queryKey)
  const isRead = state !== undefined && !isOlderThanPage({ state }) && Date.now() - state.dataUpdatedAt < pointedFreshMs
  if (!isRead) void client.prefetchQuery({ ...options, ...unreported })
}
