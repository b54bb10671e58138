import type { ListView } from '../../lib/use-list.ts'

type Loaded = Pick<ListView<{ readonly id: number }>, 'isLoading' | 'error' | 'rows' | 'keyword'>

/** Whether there is no row at all, so that nothing can be searched, sorted or exported. `clearFilters`: `null` or missing = no filter is set. */
export function isEmptyList({ isLoading, error, rows, keyword }: Loaded, clearFilters: (() => void) | null | undefined): boolean {
  return !isLoading && error === null && rows.length === 0 && keyword === '' && (clearFilters ?? null) === null
}
