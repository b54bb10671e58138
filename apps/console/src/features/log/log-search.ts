import { type ListSearch, readListSearch } from '../../lib/list-search.ts'

/** What the log page reads from its address. */
export function readLogSearch(raw: Readonly<Record<string, unknown>>): ListSearch {
  return readListSearch(raw)
}
