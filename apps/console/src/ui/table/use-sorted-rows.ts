import { useMemo, useState } from 'react'
import { useCellEdited } from '../../lib/edited-cell.ts'
import { useLocale } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { Column } from './column.ts'

/** The loaded rows in the order of the address; without one, in the server's. While a cell is edited, every row stays where it is. */
export function useSortedRows<Row extends { readonly id: number }>(
  { rows, sort }: Pick<ListView<Row>, 'rows' | 'sort'>,
  columns: readonly Column<Row>[],
): readonly Row[] {
  const locale = useLocale()
  const value = columns.find(({ id }) => id === sort?.id)?.sortValue
  const desc = sort?.desc === true
  const sorted = useMemo(() => (value === undefined ? rows : sortRows(rows, value, { desc, locale })), [rows, value, desc, locale])
  const isEdited = useCellEdited()
  const [kept, setKept] = useState<readonly number[] | null>(null)
  if (isEdited !== (kept !== null)) setKept(isEdited ? sorted.map(({ id }) => id) : null)
  return useMemo(() => (kept === null ? sorted : inOrder(sorted, kept)), [sorted, kept])
}

/** Rows in the order of these ids; others follow. */
export function inOrder<Row extends { readonly id: number }>(rows: readonly Row[], ids: readonly number[]): readonly Row[] {
  const places = new Map(ids.map((id, index) => [id, index]))
  const placeOf = ({ id }: Row): number => places.get(id) ?? ids.length
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b))
}

interface Direction {
  readonly desc: boolean
  readonly locale: string
}

/** Sorts by value; equal rows keep their order, and rows without a value are last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: NonNullable<Column<Row>['sortValue']>,
  { desc, locale }: Direction,
): readonly Row[] {
  const collator = new Intl.Collator(locale, { numeric: true })
  const keyed = rows.map((row) => ({ row, key: value(row) }))
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null)
    const order = typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : collator.compare(String(a.key), String(b.key))
    return desc ? -order : order
  })
  return keyed.map(({ row }) => row)
}
