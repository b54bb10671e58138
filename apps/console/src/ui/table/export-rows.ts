import { saveCsv } from '../../lib/download.ts'
import { fileStamp } from '../../lib/time.ts'
import type { Column } from './column.ts'

/** Saves the loaded rows, with the shown columns and in the shown order. */
export function exportRows<Row>(table: string, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  saveCsv(`${table}-${fileStamp(new Date())}.csv`, tableOf(columns, rows))
}

export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly (readonly (string | number)[])[] {
  const exported = columns.flatMap(({ header, csv, sortValue }) => {
    const value = csv ?? sortValue
    return value === undefined ? [] : [{ header, value }]
  })
  return [exported.map(({ header }) => header), ...rows.map((row) => exported.map(({ value }) => value(row) ?? ''))]
}
