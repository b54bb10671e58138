import * as z from 'zod/mini'
import { commaListOf, zone } from './parts.ts'

/** One cell of a CSV file. A cell that a spreadsheet would run as a formula gets an apostrophe before it. */
function csvCell(value: string | number): string {
  const text = String(value)
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** A byte order mark, which spreadsheets need to read a file as UTF-8. */
export const csvStart = '\uFEFF'

/** A file that is sent while it is made. */
export interface FileStream {
  readonly name: string
  /** Its text in parts; the next one is made when the client has taken the one before. */
  readonly parts: AsyncIterable<string>
}

export const fileStream = z.custom<FileStream>()

export const exportFormats = ['csv', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** What every export of a list takes beside the filters of the list. */
export const exportParams = {
  /** Ids of columns in their order, separated by commas; those that do not exist are left out, and empty means all. For CSV only. */
  columns: commaListOf(4_096, 'invalid_parameter'),
  /** The zone of the times in a CSV file; empty = UTC. */
  zone,
  /** `csv` has the values as the console shows them, `json` the rows of the list as they are, without secrets. */
  format: z._default(z.catch(z.enum(exportFormats), 'csv'), 'csv'),
}
