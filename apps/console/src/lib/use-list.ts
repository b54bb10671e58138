import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import {
  firstPage,
  type ListPage,
  loadSpan,
  nextSpan,
  type PageSpan,
  pageCountOf,
  type RowsWanted,
  rowsOf,
  shownPage,
  withoutRow,
  withPatch,
} from './list-pages.ts'
import { type ListSearch, readListSearch, readSort, type Sort, writeSort } from './list-search.ts'

interface ListSpec<Row extends { readonly id: number }> {
  /** The noun, and the start of the key that other pages invalidate. */
  readonly name: string
  readonly load: (wanted: RowsWanted, signal: AbortSignal) => Promise<readonly Row[]>
  /** New rows appear at the top all the time: pages are requested by the id of the last loaded row, not by number. */
  readonly isArriving?: boolean
  /** Returns all matches at once. Without it the list has no search. */
  readonly search?: (keyword: string, signal: AbortSignal) => Promise<readonly Row[]>
  /** Other search parameters that the rows depend on. */
  readonly filters?: Readonly<Record<string, unknown>>
}

/** A list for components: rows in the server's order, and operations on them. */
export interface ListView<Row extends { readonly id: number }> {
  readonly name: string
  readonly rows: readonly Row[]
  readonly page: number
  readonly pageCount: number
  readonly keyword: string
  readonly sort: Sort | null
  /** No rows have been loaded yet. */
  readonly isLoading: boolean
  readonly isFetching: boolean
  readonly error: Error | null
  readonly failedAtMs: number
  readonly goTo: (page: number) => void
  readonly setKeyword: (keyword: string) => void
  readonly setSort: (sort: Sort | null) => void
  readonly setOrder: (order: string) => void
  readonly refresh: () => void
  readonly remove: (id: number) => void
  readonly patch: (id: number, patch: Partial<Row>) => void
}

/**
 * One list page: server pages are appended on demand, all filters are in the address, deleted rows disappear at once. No other place
 * implements these rules.
 */
export function useList<Row extends { readonly id: number }>(spec: ListSpec<Row>): ListView<Row> {
  const address = readListSearch(useSearch({ strict: false }))
  const keyword = spec.search === undefined ? '' : (address.q ?? '')
  const queryKey = useMemo(() => [spec.name, 'list', keyword, spec.filters ?? {}], [spec.name, keyword, spec.filters])
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => (keyword === '' ? loadSpan(spec, pageParam, signal) : searchAll(spec, keyword, signal)),
    initialPageParam: firstPage(keyword === '' ? (address.page ?? 1) : 1),
    getNextPageParam: (_last, pages): PageSpan | null => nextSpan(pages, spec.isArriving === true),
    placeholderData: keepPreviousData,
  })
  const pages = query.data?.pages
  const rows = useMemo(() => rowsOf(pages ?? []), [pages])
  const change = useAddress()
  const edit = useEdit<Row>(queryKey)
  return {
    name: spec.name,
    rows,
    page: shownPage(address.page ?? 1, rows.length),
    pageCount: pageCountOf({ loaded: rows.length, mayHaveMore: query.hasNextPage }),
    keyword,
    sort: readSort(address.sort),
    // All loaded rows may have been deleted while the server has more.
    isLoading: query.isPending || (rows.length === 0 && query.hasNextPage),
    isFetching: query.isFetching,
    error: query.data === undefined || query.isPlaceholderData ? query.error : null,
    failedAtMs: query.errorUpdatedAt,
    goTo: (page) => {
      const isLoaded = page <= pageCountOf({ loaded: rows.length, mayHaveMore: false })
      if (isLoaded) change({ page })
      else void loadUpTo(page, query.fetchNextPage).then((loaded) => change({ page: shownPage(page, loaded) }))
    },
    setKeyword: (q) => change({ q: q.trim(), page: 1 }),
    setSort: (sort) => change({ sort: writeSort(sort), page: 1 }),
    setOrder: (order) => change({ order, page: 1 }),
    refresh: () => void query.refetch(),
    ...edit,
  }
}

interface Appended<Row> {
  readonly data: { readonly pages: readonly ListPage<Row>[] } | undefined
  readonly hasNextPage: boolean
  readonly isError: boolean
}

/**
 * Appends pages until the requested one has rows. After deletions the first answer may only fill the gap, so a second is requested.
 * @returns number of loaded rows
 */
async function loadUpTo<Row extends { readonly id: number }>(page: number, fetchNext: () => Promise<Appended<Row>>): Promise<number> {
  const first = await fetchNext()
  const { length } = rowsOf(first.data?.pages ?? [])
  if (shownPage(page, length) === page || !first.hasNextPage || first.isError) return length
  return rowsOf((await fetchNext()).data?.pages ?? []).length
}

async function searchAll<Row extends { readonly id: number }>(
  { search }: ListSpec<Row>,
  keyword: string,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  return { rows: (await search?.(keyword, signal)) ?? [], isFull: false }
}

/** Changes search parameters; empty values are removed. A change of the keyword adds no entry to the history. */
export function useAddress(): (change: Readonly<Record<string, string | number | undefined>>) => void {
  const navigate = useNavigate()
  return useCallback(
    (change) =>
      void navigate({
        to: '.',
        replace: 'q' in change,
        resetScroll: false,
        // Holds: each list's reader checks the parameters.
        search: ((old: ListSearch) => ({ ...old, ...filled(change, old) })) as never,
      }),
    [navigate],
  )
}

function filled(change: Readonly<Record<string, string | number | undefined>>, old: ListSearch): Record<string, unknown> {
  const next = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value === '' ? undefined : value]))
  return next['page'] === 1 || (next['page'] === undefined && 'page' in old && 'page' in change) ? { ...next, page: undefined } : next
}

function useEdit<Row extends { readonly id: number }>(queryKey: readonly unknown[]): Pick<ListView<Row>, 'remove' | 'patch'> {
  const client = useQueryClient()
  const edit = useCallback(
    (change: (pages: readonly ListPage<Row>[]) => ListPage<Row>[]) => {
      client.setQueryData<InfiniteData<ListPage<Row>, PageSpan>>(queryKey, (data) => data && { ...data, pages: change(data.pages) })
    },
    [client, queryKey],
  )
  const remove = useCallback(
    (id: number) => {
      edit((pages) => withoutRow(pages, id))
      const pages = client.getQueryData<InfiniteData<ListPage<Row>, PageSpan>>(queryKey)?.pages ?? []
      if (rowsOf(pages).length === 0 && nextSpan(pages, false) !== null) void client.invalidateQueries({ queryKey, exact: true })
    },
    [client, queryKey, edit],
  )
  return { remove, patch: useCallback((id, patch) => edit((pages) => withPatch(pages, id, patch)), [edit]) }
}
