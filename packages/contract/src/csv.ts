import * as z from 'zod/mini'

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
