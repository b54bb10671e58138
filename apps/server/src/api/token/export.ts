import { exportColumns, type TokenRow, tokenLimitNames } from '@sluice/contract'
import { type ColumnsFor, type ExportWords, exportWords, type FileColumn, namedColumns, timeWriter, wordOf } from '../export-file.ts'

type Exported = Omit<TokenRow, 'key' | 'unreadable'>

/** The columns of exported tokens. */
export function tokenFileColumns({ zone, language }: ColumnsFor): Readonly<Record<string, FileColumn<Exported>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  return namedColumns<Exported, typeof exportColumns.token>(exportColumns.token, words, {
    name: ({ name }) => name,
    status: ({ status }) => wordOf(words, 'token.status', status),
    used: ({ used_quota }) => used_quota,
    remain: (row) => (row.unlimited_quota ? words('word.unlimited') : row.remain_quota),
    created: ({ created_time }) => timeOf(created_time),
    accessed: ({ accessed_time }) => (accessed_time === 0 ? '' : timeOf(accessed_time)),
    expires: ({ expired_time }) => (expired_time === -1 ? words('time.never') : timeOf(expired_time)),
    limits: (row) => limitsText(row, words),
  })
}

function limitsText(row: Exported, words: ExportWords): string {
  const limited = tokenLimitNames.filter((name) => row[name] > 0)
  if (limited.length === 0) return words('token.limits.none')
  return limited.map((name) => words(`token.limits.${name}.short`, { limit: row[name] })).join(' · ')
}
