import { useMemo, useRef, useState } from 'react'

export interface Selection<Row> {
  /** The selected rows that still exist. */
  readonly rows: readonly Row[]
  readonly has: (id: number) => boolean
  /** `isRange` = also every row between this one and the last toggled one. */
  readonly toggle: (id: number, isRange: boolean) => void
  readonly toggleAll: () => void
  readonly clear: () => void
  readonly keep: (ids: readonly number[]) => void
}

/** The selection among the loaded rows. A new search clears it; appended pages do not. */
export function useSelection<Row extends { readonly id: number }>(rows: readonly Row[], search: string): Selection<Row> {
  const [state, setState] = useState<{ readonly search: string; readonly ids: ReadonlySet<number> }>({ search, ids: new Set() })
  const last = useRef<number | null>(null)
  const selected = useMemo(() => (state.search === search ? rows.filter(({ id }) => state.ids.has(id)) : []), [rows, state, search])
  const ids = useMemo(() => new Set(selected.map(({ id }) => id)), [selected])
  const set = (next: Iterable<number>) => setState({ search, ids: new Set(next) })
  return {
    rows: selected,
    has: (id) => ids.has(id),
    toggle: (id, isRange) => {
      const touched = isRange ? between(rows, last.current, id) : [id]
      last.current = id
      const isAdding = !ids.has(id)
      set(isAdding ? [...ids, ...touched] : [...ids].filter((other) => !touched.includes(other)))
    },
    toggleAll: () => set(selected.length === rows.length ? [] : rows.map(({ id }) => id)),
    clear: () => set([]),
    keep: set,
  }
}

function between(rows: readonly { readonly id: number }[], from: number | null, to: number): readonly number[] {
  const [a, b] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)]
  return a < 0 ? [to] : rows.slice(Math.min(a, b), Math.max(a, b) + 1).map(({ id }) => id)
}
