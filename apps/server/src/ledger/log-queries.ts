import type { Insertable } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { LogTable } from '../db/schema.ts'
import type { LogEntry } from './log-entry.ts'
import { logColumns, logValues } from './queries.ts'

/** Writes a log row in the transaction of `db`. Rows of charged requests are written by the ledger. */
export async function insertLog(db: Db, log: LogEntry): Promise<void> {
  const values = logValues(log)
  const row = Object.fromEntries(logColumns.split(', ').map((column, index) => [column, values[index]]))
  // Holds: columns and values come from one list.
  await db
    .insertInto('logs')
    .values(row as unknown as Insertable<LogTable>)
    .execute()
}
