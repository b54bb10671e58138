import type { Endpoint } from '@sluice/contract'
import { keepPreviousData, type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { ZodMiniType } from 'zod/mini'
import { call } from './api.ts'
import {
  clampPage,
  firstRows,
  type LoadedRows,
  type LoadedSpan,
  lastPage,
  type NewRows,
  pageCountOf,
  type RowCount,
  type RowsQuery,
  toLoaded,
  withMore,
  withNew,
  withoutRow,
  withPatch,
} from './list-rows.ts'
import { readListSearch, readSort, type Sort, writeSort } from './list-search.ts'
import { type Preload, pointedFreshMs, prefetch, type SearchParams } from './preload.ts'
import { derivedOptions, editRead, invalidate, nextPageOptions, nounOf, refetch } from './reads.ts'
import { readRowCount, writeRowCount } from './row-count.ts'
import { useAddress } from './use-address.ts'

interface WithId {
  readonly id: number
}

type ListEndpoint<Row> = Endpoint<ZodMiniType, ZodMiniType<Row[]>>

/** A list of the contract. */
export interface ListSpec<Row extends WithId> {
  readonly endpoint: ListEndpoint<Row>
  /** Called instead if there is a keyword. Without it the list has no search. */
  readonly search?: ListEndpoint<Row>
  /** The file of all its rows. Without it the list has none. */
  readonly file?: Endpoint<ZodMiniType, ZodMiniType>
  /** What the rows depend on beside the keyword, and if there is no `input`, the input of the calls. */
  readonly filters?: Readonly<Record<string, unknown>>
  /** The input of a call, made when it is sent: a filter may be relative to the present. */
  readonly input?: () => Readonly<Record<string, unknown>>
}

/** A list for components: rows in the server's order, and operations on them. */
export interface ListView<Row extends WithId> {
  /** The noun: the name of stored choices and of exported files. */
  readonly name: string
  /** The key of its rows, by which `useIsReading` knows whether rows are being read. */
  readonly key: QueryKey
  readonly rows: readonly Row[]
  /** The call for a file of all rows that match; `null` = there is none. */
  readonly file: { readonly endpoint: Endpoint<ZodMiniType, ZodMiniType>; readonly input: () => Readonly<Record<string, unknown>> } | null
  readonly page: number
  readonly pageCount: number
  readonly span: LoadedSpan
  readonly mayHaveMore: boolean
  readonly keyword: string
  readonly sort: Sort | null
  /** No rows have been loaded yet. */
  readonly isLoading: boolean
  readonly error: Error | null
  readonly failedAtMs: number
  readonly goTo: (page: number) => void
  readonly setRowCount: (count: RowCount) => void
  readonly setKeyword: (keyword: string) => void
  readonly setSort: (sort: Sort | null) => void
  readonly refresh: () => void
  readonly remove: (id: number) => void
  readonly patch: (id: number, patch: Partial<Row>) => void
  /** Adds rows that were written since it was loaded. */
  readonly add: (rows: NewRows<Row>) => void
}

interface Place {
  readonly keyword: string
  /** The page that is loaded first, from 1. */
  readonly first: number
  readonly size: number
}

function listQuery<Row extends WithId>(client: QueryClient, spec: ListSpec<Row>, { keyword, first, size }: Place) {
  const query = derivedOptions(
    spec.endpoint,
    ['list', { keyword, first, size, ...spec.filters }],
    async ({ signal }): Promise<LoadedRows<Row>> => {
      const loaded = client.getQueryData<LoadedRows<Row>>(query.queryKey)?.rows.length ?? 0
      return await loadRows(spec, { keyword, signal, range: firstRows({ page: first, size, loaded }) })
    },
  )
  return { ...query, staleTime: pointedFreshMs }
}

interface Load {
  readonly keyword: string
  readonly range: RowsQuery
  readonly signal: AbortSignal
}

async function loadRows<Row extends WithId>(spec: ListSpec<Row>, { keyword, range, signal }: Load): Promise<LoadedRows<Row>> {
  const input = { ...(spec.input?.() ?? spec.filters), ...range }
  const rows = await (keyword === '' || spec.search === undefined
    ? call(spec.endpoint, input, { signal })
    : call(spec.search, { ...input, keyword }, { signal }))
  return toLoaded(rows, range)
}

/** The list that a page shows for the search parameters of its address. */
export type ListOf<Row extends WithId> = (search: SearchParams) => ListSpec<Row>

/** Starts the call for a list before its page is shown. */
export function preloadOf<Row extends WithId>(listOf: ListOf<Row>): Preload {
  return (client, search) => {
    const { q: keyword = '', page: first = 1 } = readListSearch(search)
    const spec = listOf(search)
    prefetch(client, listQuery(client, spec, { keyword, first, size: readRowCount(nounOf(spec.endpoint)) }))
  }
}

/**
 * One list page. Each page of rows is one call; an adjacent page is requested by cursor, any other by its number. All filters are in the
 * address, and deleted rows disappear at once. No other place implements these rules.
 */
export function useList<Row extends WithId>(spec: ListSpec<Row>): ListView<Row> {
  const name = nounOf(spec.endpoint)
  const client = useQueryClient()
  const address = readListSearch(useSearch({ strict: false }))
  const change = useAddress()
  const [size, setSize] = useState(() => readRowCount(name))
  const keyword = spec.search === undefined ? '' : (address.q ?? '')
  const page = address.page ?? 1
  const viewOf = (rowCount: RowCount) => JSON.stringify([keyword, rowCount, spec.filters])
  const [first, startAt] = useFirstPage(viewOf(size), page)
  const options = listQuery(client, spec, { keyword, first, size })
  const query = useQuery({ ...options, placeholderData: keepPreviousData })
  const rows = query.data?.rows ?? none
  const span = { first, size, loaded: rows.length }
  const mayHaveMore = query.data?.mayHaveMore === true
  const isCurrent = query.isSuccess && !query.isPlaceholderData
  // An address that was opened by Back or typed may name a page that has not been loaded.
  if (isCurrent && mayHaveMore && page > lastPage(span)) startAt(viewOf(size), page)
  const isBeyondEnd = isCurrent && rows.length === 0 && first > 1
  useEffect(() => {
    if (isBeyondEnd) change({ page: 1 })
  }, [isBeyondEnd, change])
  return {
    name,
    key: options.queryKey,
    rows,
    file: fileOf(spec, keyword),
    page: clampPage(page, span),
    pageCount: pageCountOf(span, mayHaveMore),
    span,
    mayHaveMore,
    keyword,
    sort: readSort(address.sort),
    // All loaded rows may have been deleted while the server has more.
    isLoading: query.isPending || isBeyondEnd || (rows.length === 0 && mayHaveMore),
    error: query.data === undefined || query.isPlaceholderData ? query.error : null,
    failedAtMs: query.errorUpdatedAt,
    goTo: (page) => {
      if (page === lastPage(span) + 1 && mayHaveMore)
        void append(client, spec, { key: options.queryKey, keyword, size }).then((loaded) =>
          change({ page: clampPage(page, { ...span, loaded }) }),
        )
      else change({ page })
    },
    setRowCount: (count) => {
      writeRowCount(name, count)
      setSize(count)
      startAt(viewOf(count), 1)
      change({ page: 1 })
    },
    setKeyword: (q) => {
      // A search asks the server, also for rows that it returned a moment ago.
      invalidate(client, spec.endpoint)
      change({ q: q.trim(), page: 1 })
    },
    setSort: (sort) => change({ sort: writeSort(sort), page: 1 }),
    refresh: () => void query.refetch(),
    ...useEdit<Row>(spec.endpoint, options.queryKey),
  }
}

const none: readonly never[] = []

function fileOf<Row extends WithId>({ file, input, filters }: ListSpec<Row>, keyword: string): ListView<Row>['file'] {
  if (file === undefined) return null
  return { endpoint: file, input: () => ({ ...(input?.() ?? filters), ...(keyword !== '' && { keyword }) }) }
}

/** The page from which rows are loaded. It begins anew with every other view, and when a page before it is opened. */
function useFirstPage(view: string, page: number): readonly [number, (view: string, page: number) => void] {
  const [state, setState] = useState({ view, first: page })
  const startAt = (next: string, first: number) => setState({ view: next, first })
  if (state.view === view && page >= state.first) return [state.first, startAt]
  startAt(view, page)
  return [page, startAt]
}

interface VisibleList extends Pick<Place, 'keyword' | 'size'> {
  readonly key: QueryKey
}

/** Loads the rows after the last loaded one. @returns number of rows loaded then */
async function append<Row extends WithId>(client: QueryClient, spec: ListSpec<Row>, { key, keyword, size }: VisibleList): Promise<number> {
  const before = client.getQueryData<LoadedRows<Row>>(key)?.rows ?? none
  const range = { after: before.at(-1)?.id ?? 0, size }
  try {
    const more = await client.fetchQuery(nextPageOptions(key, range, ({ signal }) => loadRows(spec, { keyword, range, signal })))
    editRead<LoadedRows<Row>>(client, key, (loaded) => withMore(loaded, more))
  } catch {
    // The handler of all queries has reported it; the shown page stays.
  }
  return client.getQueryData<LoadedRows<Row>>(key)?.rows.length ?? before.length
}

function useEdit<Row extends WithId>(endpoint: ListEndpoint<Row>, of: readonly unknown[]): Pick<ListView<Row>, 'remove' | 'patch' | 'add'> {
  const client = useQueryClient()
  const key = JSON.stringify(of)
  return useMemo(() => {
    const current: readonly unknown[] = JSON.parse(key)
    const edit = (change: (loaded: LoadedRows<Row>) => LoadedRows<Row>) => editRead(client, current, change)
    return {
      add: (rows) => void edit((loaded) => withNew(loaded, rows)),
      patch: (id, patch) => void edit((loaded) => withPatch(loaded, id, patch)),
      remove: (id) => {
        const loaded = edit((all) => withoutRow(all, id))
        if (loaded?.rows.length === 0 && loaded.mayHaveMore) void refetch(client, endpoint)
      },
    }
  }, [client, endpoint, key])
}
