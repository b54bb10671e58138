import { type ColumnDef, createSortedRowModel, rowSortingFeature, type SortFn, tableFeatures, useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Sort } from '../../lib/list-search.ts'
import { useLocale } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { Column } from './column.ts'

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() })

/** The loaded rows in the order of the address; without one, in the server's. */
export function useSortedRows<Row extends { readonly id: number }>(
  list: Pick<ListView<Row>, 'rows' | 'sort'>,
  columns: readonly Column<Row>[],
): readonly Row[] {
  const locale = useLocale()
  const definitions = useMemo(() => definitionsOf(columns, locale), [columns, locale])
  const { id = '', desc = false } = list.sort ?? {}
  const sorting = useMemo(() => sortable({ id, desc }, columns), [id, desc, columns])
  const table = useTable({
    features,
    columns: definitions,
    data: list.rows,
    getRowId: (row) => String(row.id),
    state: { sorting },
  })
  const { rows } = table.getSortedRowModel()
  return useMemo(() => rows.map(({ original }) => original), [rows])
}

function sortable<Row>(sort: Sort, columns: readonly Column<Row>[]) {
  return columns.some(({ id, sortValue }) => id === sort.id && sortValue !== undefined) ? [sort] : []
}

function definitionsOf<Row extends { readonly id: number }>(
  columns: readonly Column<Row>[],
  locale: string,
): ColumnDef<typeof features, Row>[] {
  const collator = new Intl.Collator(locale, { numeric: true })
  const sortFn: SortFn<typeof features, Row> = (a, b, id) => {
    const [left, right] = [a.getValue(id), b.getValue(id)]
    return typeof left === 'number' && typeof right === 'number' ? left - right : collator.compare(String(left), String(right))
  }
  return columns.map(({ id, sortValue }) => ({
    id,
    accessorFn: (row) => sortValue?.(row) ?? undefined,
    sortUndefined: 'last',
    sortFn,
  }))
}
