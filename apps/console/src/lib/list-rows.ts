interface WithId {
  readonly id: number
}

/** The rows of a list that were loaded so far: neighbours, in the server's order. */
export interface LoadedRows<Row> {
  readonly rows: readonly Row[]
  /** The last call returned as many rows as it requested. */
  readonly mayHaveMore: boolean
}

/** Which rows one call asks for; the server has defaults for missing members. */
export interface RowsQuery {
  readonly p?: number
  /** Id of a row: those after it. */
  readonly after?: number
  readonly size: number
}

export const rowCounts = [10, 20, 50, 100] as const
export type RowCount = (typeof rowCounts)[number]

/** Most rows that the server returns in one call. */
const callRowsMax = 100

/**
 * The first call for a page: it loads that page alone. If rows were loaded from page 1 on, it loads them again in the same call, up to
 * what one call can return; further ones are loaded again when their page is opened.
 */
export function firstRows({ page, size, loaded }: { readonly page: number; readonly size: number; readonly loaded: number }): RowsQuery {
  if (page > 1) return { p: page - 1, size }
  return { p: 0, size: Math.max(size, Math.min(callRowsMax, Math.ceil(loaded / size) * size)) }
}

export function toLoaded<Row>(rows: readonly Row[], { size }: RowsQuery): LoadedRows<Row> {
  return { rows, mayHaveMore: rows.length >= size }
}

/** Appends rows; one that moved between two calls is returned twice and kept once. */
export function withMore<Row extends WithId>(loaded: LoadedRows<Row>, more: LoadedRows<Row>): LoadedRows<Row> {
  const known = new Set(loaded.rows.map(({ id }) => id))
  return { rows: [...loaded.rows, ...more.rows.filter(({ id }) => !known.has(id))], mayHaveMore: more.mayHaveMore }
}

export interface NewRows<Row> {
  readonly rows: readonly Row[]
  /** Whether one row comes before another in the server's order. */
  readonly isBefore: (one: Row, other: Row) => boolean
  /** Rows that are kept; the last ones are dropped, and can be loaded again. */
  readonly most: number
}

/** Of rows that were written since the list was loaded, those with a place among the loaded ones. Others belong to a later page. */
export function newRowsOf<Row extends WithId>(loaded: LoadedRows<Row>, { rows, isBefore }: Omit<NewRows<Row>, 'most'>): readonly Row[] {
  const known = new Set(loaded.rows.map(({ id }) => id))
  const last = loaded.rows.at(-1)
  return rows.filter((row) => !known.has(row.id) && !(loaded.mayHaveMore && last !== undefined && isBefore(last, row)))
}

/** Adds such rows, each in its place. */
export function withNew<Row extends WithId>(loaded: LoadedRows<Row>, { rows, isBefore, most }: NewRows<Row>): LoadedRows<Row> {
  const fresh = newRowsOf(loaded, { rows, isBefore })
  if (fresh.length === 0) return loaded
  const all = [...fresh, ...loaded.rows].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  return { rows: all.slice(0, most), mayHaveMore: loaded.mayHaveMore || all.length > most }
}

export function withoutRow<Row extends WithId>(loaded: LoadedRows<Row>, id: number): LoadedRows<Row> {
  return { ...loaded, rows: loaded.rows.filter((row) => row.id !== id) }
}

export function withPatch<Row extends WithId>(loaded: LoadedRows<Row>, id: number, patch: Partial<Row>): LoadedRows<Row> {
  return { ...loaded, rows: loaded.rows.map((row) => (row.id === id ? { ...row, ...patch } : row)) }
}

/** The loaded part of a list. */
export interface LoadedSpan {
  /** Number of the first loaded page, from 1. */
  readonly first: number
  /** Rows of a page. */
  readonly size: number
  /** Number of loaded rows. */
  readonly loaded: number
}

/** The last page that has loaded rows; the first one if there are none. */
export function lastPage({ first, size, loaded }: LoadedSpan): number {
  return first - 1 + Math.max(1, Math.ceil(loaded / size))
}

/** The pages that the loaded rows fill, those before them, and one more if the server may have more rows. */
export function pageCountOf(span: LoadedSpan, mayHaveMore: boolean): number {
  return lastPage(span) + (mayHaveMore ? 1 : 0)
}

/** The page to show: the requested one, or the nearest one with rows, so that no page is blank. */
export function clampPage(page: number, span: LoadedSpan): number {
  return Math.min(Math.max(span.first, page), lastPage(span))
}

export function rowsOfPage<Row>(rows: readonly Row[], page: number, { first, size }: Pick<LoadedSpan, 'first' | 'size'>): readonly Row[] {
  return rows.slice((page - first) * size, (page - first + 1) * size)
}

/** First, last and the current page with a sibling on each side; `null` = an ellipsis. A gap of one page is that page. */
export function pageLinks(current: number, count: number): readonly (number | null)[] {
  const candidates = [1, current - 1, current, current + 1, count].filter((page) => page >= 1 && page <= count)
  const pages = [...new Set(candidates)].sort((a, b) => a - b)
  return pages.flatMap((page, index) => {
    const gap = page - (pages[index - 1] ?? page - 1)
    return gap > 2 ? [null, page] : gap === 2 ? [page - 1, page] : [page]
  })
}
