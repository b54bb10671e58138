import { logType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { isOfEnds, type LogFilters, listLogs, type Sums, sumHours, sumLogs, sumMatches } from './queries.ts'
import { readCleanedUntil } from './usage-queries.ts'

const hourSeconds = 3_600
const minuteSeconds = 60

/**
 * Sums of the matching log rows: whole hours from the hourly sums, so that no total scans the log, and the two ends of the span from the
 * rows themselves.
 */
export async function totalsOf(db: Db, query: LogFilters, now: number) {
  if (query.request_id !== '') return await totalsOfRequest(db, query, now)
  if (isOfEnds(query) || query.duration !== '') return await totalsOfMatches(db, query, now)
  const { type: _, request_id: __, outcome: ___, error_code: ____, duration: _____, start_timestamp, end_timestamp, ...filters } = query
  // The hourly sums include rows that have been deleted from the log; these do not count here.
  const from = Math.max(start_timestamp, await readCleanedUntil(db))
  const to = end_timestamp > 0 ? end_timestamp + 1 : Number.MAX_SAFE_INTEGER
  const firstHour = Math.ceil(from / hourSeconds) * hourSeconds
  const lastHour = to - (to % hourSeconds)
  const parts =
    firstHour < lastHour
      ? await Promise.all([
          sumLogs(db, filters, { from, to: firstHour }),
          sumHours(db, filters, { from: firstHour, to: lastHour }),
          sumLogs(db, filters, { from: lastHour, to }),
        ])
      : [await sumLogs(db, filters, { from, to })]
  const recent = await sumLogs(db, filters, { from: now - minuteSeconds + 1, to: now + 1 })
  const total = (name: keyof Sums): number => parts.reduce((sum, part) => sum + part[name], 0)
  return {
    quota: total('quota'),
    token: total('prompt') + total('completion'),
    rpm: recent.requests,
    tpm: recent.prompt + recent.completion,
  }
}

async function totalsOfMatches(db: Db, filters: LogFilters, now: number) {
  const all = await sumMatches(db, filters)
  const recent = await sumMatches(db, { ...filters, start_timestamp: now - minuteSeconds + 1, end_timestamp: now })
  return { quota: all.quota, token: all.prompt + all.completion, rpm: recent.requests, tpm: recent.prompt + recent.completion }
}

/** More rows than any request has. */
const requestRows = { p: 0, after: 0, size: 100 }

/** The sums by the hour know no requests, whose rows are few. */
async function totalsOfRequest(db: Db, filters: LogFilters, now: number) {
  const rows = await listLogs(db, { ...filters, type: logType.consume }, requestRows)
  const recent = rows.filter(({ created_at }) => created_at > now - minuteSeconds && created_at <= now)
  const usage = (counted: typeof rows) => counted.reduce((sum, row) => sum + row.prompt_tokens + row.completion_tokens, 0)
  return {
    quota: rows.reduce((sum, { quota }) => sum + quota, 0),
    token: usage(rows),
    rpm: recent.length,
    tpm: usage(recent),
  }
}
