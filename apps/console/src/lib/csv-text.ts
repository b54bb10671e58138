import { csvLine, csvStart } from '@sluice/contract'

/** Rows as a file for a spreadsheet; a cell that it would run as a formula is made harmless. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return csvStart + rows.map(csvLine).join('')
}
