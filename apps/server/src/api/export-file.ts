import { csvLine, csvStart, type ExportFormat, exportTexts, type FileStream, type Language } from '@sluice/contract'
import { isDate } from '../lib/clock.ts'
import { readableOutput } from '../lib/readable-output.ts'

export interface FileColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => string | number
}

/** What the texts of a file depend on. */
export interface ColumnsFor {
  /** The time zone; empty = UTC. */
  readonly zone: string
  readonly language: Language
}

interface ExportOptions<Row> {
  /** The name of the file, without its ending. */
  readonly name: string
  /** By id, in their usual order. */
  readonly columns: Readonly<Record<string, FileColumn<Row>>>
  /** Ids of columns, separated by commas; empty = all. */
  readonly columnIds: string
  readonly format: ExportFormat
  /** A row as it stands in a JSON file. */
  readonly plain: (row: Row) => unknown
  /** The rows after the given one; `null` = the first ones. Fewer than `exportStepRows` are the last ones. */
  readonly next: (last: Row | null) => Promise<readonly Row[]>
}

/** How a row stands in a JSON file. Values that are damaged in the database are replaced, as in lists. */
export function plainRowOf<Row, Output>(schema: Parameters<typeof readableOutput<Output>>[0]): (row: Row) => Output {
  return (row) => readableOutput(schema, row, () => {})
}

/** Rows of one query: few enough to be short, and enough that most of the time goes into reading. */
export const exportStepRows = 500

/** A file of all rows. They are read in steps, and a step begins when the client has taken the one before. */
export async function exportFile<Row>(options: ExportOptions<Row>): Promise<FileStream> {
  // Read before the response begins, so that a refused query is a refused call.
  const first = await options.next(null)
  return {
    name: `${options.name}.${options.format}`,
    parts: options.format === 'csv' ? csvParts(options, first) : jsonParts(options, first),
  }
}

async function* csvParts<Row>(options: ExportOptions<Row>, first: readonly Row[]): AsyncGenerator<string> {
  const columns = chosen(options)
  yield csvStart + csvLine(columns.map(({ name }) => name))
  for await (const rows of steps(options, first)) yield rows.map((row) => csvLine(columns.map(({ cell }) => cell(row)))).join('')
}

/** One array; each of its rows is one line. */
async function* jsonParts<Row>(options: ExportOptions<Row>, first: readonly Row[]): AsyncGenerator<string> {
  let before = '[\n'
  for await (const rows of steps(options, first)) {
    yield before + rows.map((row) => JSON.stringify(options.plain(row))).join(',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** The next step begins behind the last row as it was read, so a row that was deleted meanwhile does not end the file. */
async function* steps<Row>({ next }: Pick<ExportOptions<Row>, 'next'>, first: readonly Row[]): AsyncGenerator<readonly Row[]> {
  let rows = first
  while (rows.length > 0) {
    yield rows
    rows = rows.length < exportStepRows ? [] : await next(rows.at(-1) ?? null)
  }
}

function chosen<Row>({ columns, columnIds }: Pick<ExportOptions<Row>, 'columns' | 'columnIds'>): readonly FileColumn<Row>[] {
  const named = columnIds.split(',').flatMap((id) => (Object.hasOwn(columns, id) ? (columns[id] ?? []) : []))
  return named.length === 0 ? Object.values(columns) : named
}

/** Texts of a file in a language. */
export type ExportWords = (key: string, params?: Readonly<Record<string, string | number>>) => string

export function exportWords(language: Language): ExportWords {
  return (key, params = {}) =>
    (exportTexts[key]?.[language] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}

/** The word for a status or a role, or the word for one without a name. */
export function wordOf(words: ExportWords, group: string, number: number): string {
  const key = `${group}.${number}`
  return words(Object.hasOwn(exportTexts, key) ? key : `${group}.other`)
}

/** Pairs the columns of a list with what stands in them. */
export function namedColumns<Row, Keys extends Readonly<Record<string, string>>>(
  keys: Keys,
  words: ExportWords,
  cells: { readonly [Id in keyof Keys]: FileColumn<Row>['cell'] },
): Readonly<Record<string, FileColumn<Row>>> {
  return Object.fromEntries(Object.entries(cells).map(([id, cell]) => [id, { name: words(keys[id] ?? id), cell }]))
}

/** Which rows a step of a list reads that is sorted by id, newest first. */
export const stepAfter = (last: { readonly id: number } | null) =>
  ({ p: 0, after: last?.id ?? 0, size: exportStepRows, order: '' }) as const

/** Which rows a step of a list reads that is sorted by time, newest first: those behind one, which may be deleted by then. */
export const stepBehind = (last: { readonly created_at: number; readonly id: number } | null) => ({
  ...{ p: 0, after: 0, size: exportStepRows },
  ...(last !== null && { behind: [last.created_at, last.id] }),
})

/** `YYYY-MM-DD HH:mm:ss` in the zone; empty = UTC. The number of seconds where no date can hold it. */
export function timeWriter(zone: string): (seconds: number) => string {
  // Sweden writes times in this form.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone === '' ? 'UTC' : zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  return (seconds) => (isDate(seconds) ? format.format(seconds * 1000) : String(seconds))
}
