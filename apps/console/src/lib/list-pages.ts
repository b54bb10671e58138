import { pageSize } from '@sluice/contract'

interface WithId {
  readonly id: number
}

/** The rows of one request. `isFull` is stored separately, because deleted rows are removed. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly isFull: boolean
}

export function toListPage<Row>(rows: readonly Row[], requested: number): ListPage<Row> {
  return { rows, isFull: rows.length >= requested * pageSize }
}

/** All loaded rows, each once: rows that move between two requests are returned twice. */
export function rowsOf<Row extends WithId>(pages: readonly ListPage<Row>[]): readonly Row[] {
  return [...new Map(pages.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const))).values()]
}

/** The page to request next; `null` = no more. Computed from the remaining rows, so that no row is skipped after a deletion. */
export function nextPage<Row extends WithId>(pages: readonly ListPage<Row>[]): number | null {
  return pages.at(-1)?.isFull === true ? Math.floor(rowsOf(pages).length / pageSize) : null
}

/** The rows that one call requests; the server has defaults for missing members. */
export interface RowsWanted {
  readonly p?: number
  /** Id of a row: those after it. */
  readonly after?: number
  readonly size?: number
}

/** The pages of a request. The first request may load several, so that a shared address shows its page. */
export interface PageSpan {
  readonly wanted: RowsWanted
  readonly count: number
}

export const firstPage = (count: number): PageSpan => ({ wanted: { p: 0 }, count })

/** The pages to request next; `null` = no more. */
export function nextSpan<Row extends WithId>(pages: readonly ListPage<Row>[], isArriving: boolean): PageSpan | null {
  const p = nextPage(pages)
  if (p === null) return null
  const last = rowsOf(pages).at(-1)
  return { wanted: isArriving && last !== undefined ? { after: last.id } : { p }, count: 1 }
}

/** Most rows that the server returns in one call. */
const callRowsMax = 100

interface Loader<Row> {
  readonly load: (wanted: RowsWanted, signal: AbortSignal) => Promise<readonly Row[]>
  readonly isArriving?: boolean
}

/** The rows of some pages, in as few calls as the server allows, up to the last row. */
export async function loadSpan<Row extends WithId>(
  { load, isArriving = false }: Loader<Row>,
  { wanted, count }: PageSpan,
  signal: AbortSignal,
): Promise<ListPage<Row>> {
  if (count === 1) return toListPage(await load(wanted, signal), 1)
  const size = Math.min(count * pageSize, callRowsMax)
  const rows: Row[] = []
  for (let p = 0; rows.length < count * pageSize; p++) {
    const last = rows.at(-1)
    const some = await load(isArriving && last !== undefined ? { after: last.id, size } : { p, size }, signal)
    rows.push(...some)
    if (some.length < size) break
  }
  return toListPage(rows.slice(0, count * pageSize), count)
}

export function withoutRow<Row extends WithId>(pages: readonly ListPage<Row>[], id: number): ListPage<Row>[] {
  return pages.map((page) => ({ ...page, rows: page.rows.filter((row) => row.id !== id) }))
}

export function withPatch<Row extends WithId>(pages: readonly ListPage<Row>[], id: number, patch: Partial<Row>): ListPage<Row>[] {
  return pages.map((page) => ({ ...page, rows: page.rows.map((row) => (row.id === id ? { ...row, ...patch } : row)) }))
}

/** Pages that the loaded rows fill, and one more if the server may have more. */
export function pageCountOf({ loaded, mayHaveMore }: { readonly loaded: number; readonly mayHaveMore: boolean }): number {
  return Math.max(1, Math.ceil(loaded / pageSize) + (mayHaveMore ? 1 : 0))
}

/** The page to show: the requested one, or the last one with rows, so that no page is blank. */
export function shownPage(wanted: number, loaded: number): number {
  return Math.min(Math.max(1, wanted), Math.max(1, Math.ceil(loaded / pageSize)))
}

export function rowsOfPage<Row>(rows: readonly Row[], page: number): readonly Row[] {
  return rows.slice((page - 1) * pageSize, page * pageSize)
}

/** First, last and the current page with a sibling on each side; `null` = an ellipsis. A gap of one page is that page. */
export function pageLinks(current: number, count: number): readonly (number | null)[] {
  const wanted = [1, current - 1, current, current + 1, count].filter((page) => page >= 1 && page <= count)
  const pages = [...new Set(wanted)].sort((a, b) => a - b)
  return pages.flatMap((page, index) => {
    const gap = page - (pages[index - 1] ?? page - 1)
    return gap > 2 ? [null, page] : gap === 2 ? [page - 1, page] : [page]
  })
}
