import { pageSize } from '@sluice/contract'
import { type RowCount, rowCounts } from './list-rows.ts'
import { storage } from './storage.ts'

/** The rows of a page that the user chose for a list, or the product's page size. */
export function readRowCount(list: string): RowCount {
  const stored = storage.readJson(`ui-rows:${list}`)
  return rowCounts.find((count) => count === stored) ?? pageSize
}

export function writeRowCount(list: string, count: RowCount): void {
  storage.writeJson(`ui-rows:${list}`, count)
}
