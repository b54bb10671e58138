import { useMemo, useState } from 'react'
import { type ColumnLayout, fitLayout } from '../../lib/column-layout.ts'
import { storage } from '../../lib/storage.ts'
import type { Column } from './column.ts'

export interface ChosenColumns<Row> {
  readonly all: readonly Column<Row>[]
  readonly layout: ColumnLayout
  readonly setLayout: (layout: ColumnLayout) => void
  readonly reset: () => void
}

/** The columns of a table, with the layout stored in this browser. */
export function useColumns<Row>(table: string, columns: readonly Column<Row>[]): ChosenColumns<Row> {
  const key = `ui-columns:${table}` as const
  const [stored, setStored] = useState<unknown>(() => storage.readJson(key))
  const layout = useMemo(() => fitLayout(stored, columns), [stored, columns])
  return {
    all: columns,
    layout,
    setLayout: (next) => {
      storage.writeJson(key, next)
      setStored(next)
    },
    reset: () => {
      storage.remove(key)
      setStored(undefined)
    },
  }
}

/** The shown columns, in order; the same array until they change. */
export function useVisibleColumns<Row>({ all, layout }: ChosenColumns<Row>): readonly Column<Row>[] {
  return useMemo(() => visibleColumns({ all, layout }), [all, layout])
}

function visibleColumns<Row>({ all, layout }: Pick<ChosenColumns<Row>, 'all' | 'layout'>): readonly Column<Row>[] {
  return layout.order.flatMap((id) => all.filter((column) => column.id === id && !layout.hidden.includes(id)))
}
