import type { QueryClient } from '@tanstack/react-query'

/** Of an address; not checked. */
export type SearchParams = Readonly<Record<string, unknown>>

/**
 * Starts the calls for what a page shows first. Failures are not reported: the page makes the call again when it is shown. Forms have none,
 * because they are filled with what is stored when they open.
 */
export type Preload = (client: QueryClient, search: SearchParams) => void

/** Of the options of a query that is made before its page. */
export const unreported = { meta: { failure: 'silent' } } as const
