import type { Page } from './one-page.ts'

/** The id that a keyword is; `null` = it is none. Of a keyword that is no number PostgreSQL would refuse the comparison. */
export function idIn(keyword: string): number | null {
  return /^\d{1,15}$/.test(keyword) ? Number(keyword) : null
}

/** A search whose keyword may be the id of a row. */
interface ExactSearch<Row> {
  readonly page: Page
  /** The row with that id; `undefined` = there is none that matches the filters. */
  readonly exact: Row | undefined
  /** A page of all other rows that match. */
  readonly others: (page: Page) => Promise<readonly Row[]>
}

/** A page of a search: the row with the id comes before all others, in whatever order these are. */
export async function exactFirst<Row extends { readonly id: number }>({ page, exact, others }: ExactSearch<Row>): Promise<readonly Row[]> {
  const { p, after, size, limit = size, behind } = page
  if (exact === undefined || behind !== undefined) return await others(page)
  if (after !== 0) return await others(after === exact.id ? { ...page, p: 0, after: 0 } : page)
  return p === 0 ? [exact, ...(await others({ ...page, limit: limit - 1 }))] : await others({ ...page, earlier: 1 })
}
