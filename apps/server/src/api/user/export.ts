import { exportColumns, type UserRow } from '@sluice/contract'
import { type ColumnsFor, exportWords, type FileColumn, namedColumns, timeWriter, wordOf } from '../export-file.ts'

/** The columns of exported accounts. */
export function userFileColumns({ zone, language }: ColumnsFor): Readonly<Record<string, FileColumn<UserRow>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  return namedColumns<UserRow, typeof exportColumns.user>(exportColumns.user, words, {
    id: ({ id }) => id,
    username: ({ username }) => username,
    displayName: ({ display_name }) => display_name,
    email: ({ email }) => email,
    group: ({ group }) => group,
    quota: ({ quota }) => quota,
    used: ({ used_quota }) => used_quota,
    requests: ({ request_count }) => request_count,
    role: ({ role }) => wordOf(words, 'user.role', role),
    status: ({ status }) => wordOf(words, 'user.status', status),
    created: ({ created_time }) => (created_time === 0 ? '' : timeOf(created_time)),
  })
}
