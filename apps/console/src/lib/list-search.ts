/** The search parameters of every list: keyword, page, and order of the loaded rows. */
export interface ListSearch {
  readonly q?: string
  readonly page?: number
  /** Column id; a leading `-` means descending. */
  readonly sort?: string
  readonly order?: string
  /** Id of the row whose details are open. */
  readonly row?: number
}

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '')

/** The last page that an address can open: each page is one call, and nobody turns to a later one. */
const pagesMax = 100_000

/** Reads an address, which a user may have typed. Empty members are left out, so that addresses stay short. */
export function readListSearch(raw: Readonly<Record<string, unknown>>): ListSearch {
  const page = Math.trunc(Number(raw['page']))
  return {
    ...(text(raw['q']) === '' ? {} : { q: text(raw['q']) }),
    ...(page > 1 ? { page: Math.min(page, pagesMax) } : {}),
    ...(text(raw['sort']) === '' ? {} : { sort: text(raw['sort']) }),
    ...(text(raw['order']) === '' ? {} : { order: text(raw['order']) }),
    ...readRow(raw),
  }
}

export function readRow(raw: Readonly<Record<string, unknown>>): Pick<ListSearch, 'row'> {
  const row = Number(raw['row'])
  return Number.isSafeInteger(row) && row > 0 ? { row } : {}
}

export interface Sort {
  readonly id: string
  readonly desc: boolean
}

export function readSort(sort: string | undefined): Sort | null {
  if (sort === undefined || sort === '' || sort === '-') return null
  return sort.startsWith('-') ? { id: sort.slice(1), desc: true } : { id: sort, desc: false }
}

export function writeSort(sort: Sort | null): string | undefined {
  return sort === null ? undefined : `${sort.desc ? '-' : ''}${sort.id}`
}
