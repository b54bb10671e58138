import { pageSize } from '@sluice/contract'

interface WithId {
  readonly id: number
}

/** What one request brought. `isFull` is remembered apart from the rows, because rows are taken out when they are deleted. */
export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly isFull: boolean
}

export function toListPage<Row>(rows: readonly Row[], requested: number): ListPage<Row> {
  return { rows, isFull: rows.length >= requested * pageSize }
}

/** All rows that were loaded, each once: rows that move between two requests come twice. */
export function rowsOf<Row extends WithId>(pages: readonly ListPage<Row>[]): readonly Row[] {
  return [...new Map(pages.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const))).values()]
}

/** The page to ask for next; `null` = there is no more. Counted in rows that are left, so that nothing is skipped after a deletion. */
export function nextPage<Row extends WithId>(pages: readonly ListPage<Row>[]): number | null {
  return pages.at(-1)?.isFull === true ? Math.floor(rowsOf(pages).length / pageSize) : null
}

export function withoutRow<Row extends WithId>(pages: readonly ListPage<Row>[], id: number): ListPage<Row>[] {
  return pages.map((page) => ({ ...page, rows: page.rows.filter((row) => row.id !== id) }))
}

export function withPatch<Row extends WithId>(pages: readonly ListPage<Row>[], id: number, patch: Partial<Row>): ListPage<Row>[] {
  return pages.map((page) => ({ ...page, rows: page.rows.map((row) => (row.id === id ? { ...row, ...patch } : row)) }))
}

/** Pages that the loaded rows fill, and one more where the server may have more. */
export function pageCountOf({ loaded, mayHaveMore }: { readonly loaded: number; readonly mayHaveMore: boolean }): number {
  return Math.max(1, Math.ceil(loaded / pageSize) + (mayHaveMore ? 1 : 0))
}

/** The page that is shown: the wanted one, or the last that has rows. A probe that found nothing never leaves a blank page. */
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
