import { type AdminLogRow, type Language, type LogColumnId, logColumns, logWords } from '@sluice/contract'
import { type ColumnsFor, type FileColumn, timeWriter } from '../export-file.ts'

interface LogColumnsFor extends ColumnsFor {
  /** Whether the columns for administrators may be in the file. */
  readonly seesAll: boolean
}

/** The columns of an exported log. */
export function logFileColumns({ zone, language, seesAll }: LogColumnsFor): Readonly<Record<string, FileColumn<AdminLogRow>>> {
  const cells = cellsOf(zone, language)
  // Holds: these are the keys of the table.
  const ids = (Object.keys(logColumns) as readonly LogColumnId[]).filter((id) => seesAll || !('isForAdmins' in logColumns[id]))
  return Object.fromEntries(ids.map((id) => [id, { name: logColumns[id][language], cell: cells[id] }]))
}

/** Numbers are as the console shows them: 0 is blank. */
function cellsOf(zone: string, language: Language): Readonly<Record<LogColumnId, FileColumn<AdminLogRow>['cell']>> {
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
    cost: (row) => row.cost ?? '',
    detail: (row) => row.content,
    cached: (row) => row.cached_tokens || '',
    elapsed: (row) => row.elapsed_time || '',
    first_byte: (row) => row.first_byte_time || '',
    end: (row) => word(`end.${row.end_reason}`, row.end_reason),
    request: (row) => row.request_id,
  }
}
