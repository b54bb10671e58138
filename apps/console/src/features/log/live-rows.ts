import type { LogRow } from '@sluice/contract'

/** Rows that a watched log keeps: older ones are dropped and loaded again when their page is opened. */
export const watchedRowsMax = 300

/** Time between two calls. */
const pollMs = 5_000
const pollMsMax = 60_000

/** After failures the calls become rarer. */
export function pollDelay(failures: number): number {
  return Math.min(pollMsMax, pollMs * 2 ** Math.min(failures, 10))
}

/** The order of the log: the newest request first. */
export function isNewer(one: LogRow, other: LogRow): boolean {
  return one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at
}

/** Rows that wait, each once and the newest ones of many. */
export function withWaiting(waiting: readonly LogRow[], rows: readonly LogRow[]): readonly LogRow[] {
  const known = new Set(waiting.map(({ id }) => id))
  return [...rows.filter(({ id }) => !known.has(id)), ...waiting].slice(0, watchedRowsMax)
}

export function lastId(rows: readonly LogRow[]): number {
  return rows.reduce((last, { id }) => Math.max(last, id), 0)
}
