import {
  type AdminLogRow,
  csvLine,
  csvStart,
  type FileStream,
  type Language,
  type LogColumnId,
  logColumns,
  logWords,
} from '@sluice/contract'

interface ExportWish {
  readonly columns: string
  readonly zone: string
}

interface ExportOptions extends ExportWish {
  readonly language: Language
  /** Whether the columns for administrators may be in the file. */
  readonly seesAll: boolean
  /** The rows after the one with this id; 0 = the first ones. No rows = the end. */
  readonly next: (after: number) => Promise<readonly AdminLogRow[]>
}

/** Rows of one query: few enough to be short, and enough that most of the time goes into reading. */
export const exportStepRows = 500

type Cell = (row: AdminLogRow) => string | number

/** A file of all rows. They are read in steps, and a step begins when the client has taken the one before. */
export async function exportLog({ next, ...options }: ExportOptions): Promise<FileStream> {
  // Read before the answer begins, so that a refused query is a refused call.
  const first = await next(0)
  const ids = chosen(options)
  const cells = cellsOf(options)
  const line = (row: AdminLogRow): string => csvLine(ids.map((id) => cells[id](row)))
  async function* parts(): AsyncGenerator<string> {
    yield csvStart + csvLine(ids.map((id) => logColumns[id][options.language]))
    let rows = first
    while (rows.length > 0) {
      yield rows.map(line).join('')
      rows = rows.length < exportStepRows ? [] : await next(rows.at(-1)?.id ?? 0)
    }
  }
  return { name: 'log.csv', parts: parts() }
}

const isColumn = (id: string): id is LogColumnId => Object.hasOwn(logColumns, id)

function chosen({ columns, seesAll }: Pick<ExportOptions, 'columns' | 'seesAll'>): readonly LogColumnId[] {
  const known = Object.keys(logColumns).filter(isColumn)
  const wanted = columns.split(',').filter(isColumn)
  const shown = wanted.length === 0 ? known : wanted
  return shown.filter((id) => seesAll || !('isForAdmins' in logColumns[id]))
}

/** Numbers are as the console exports them: 0 is blank. */
function cellsOf({ zone, language }: Pick<ExportOptions, 'zone' | 'language'>): Readonly<Record<LogColumnId, Cell>> {
  const word = (key: string, missing: string): string => logWords[key]?.[language] ?? missing
  const timeOf = timeWriter(zone)
  return {
    time: (row) => timeOf(row.created_at),
    channel: (row) => row.channel || '',
    user: (row) => row.username,
    token: (row) => row.token_name,
    type: (row) => word(row.event === '' ? `type.${row.type}` : `event.${row.event}`, String(row.type)),
    model: (row) => row.model_name,
    prompt: (row) => row.prompt_tokens || '',
    completion: (row) => row.completion_tokens || '',
    quota: (row) => row.quota || '',
    detail: (row) => row.content,
    cached: (row) => row.cached_tokens || '',
    elapsed: (row) => row.elapsed_time || '',
    first_byte: (row) => row.first_byte_time || '',
    end: (row) => word(`end.${row.end_reason}`, row.end_reason),
    request: (row) => row.request_id,
  }
}

/** `YYYY-MM-DD HH:mm:ss` in the zone. */
function timeWriter(zone: string): (seconds: number) => string {
  // Sweden writes times in this form.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone === '' ? 'UTC' : zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  return (seconds) => format.format(seconds * 1000)
}
